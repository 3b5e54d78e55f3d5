/* The `classic` sketch on its board, as a state machine written by hand in C. The Swift model is
 * compared with it.
 *
 *     classic TRACE              prints the resulting trace, like `sentrybench replay TRACE`
 *     classic --summary TRACE    prints the object of `sentrybench replay --summary TRACE`
 *
 * Every step is executed: neither a cycle of the scan nor a number is computed in closed form. A
 * trace can have everything except a sender whose speed differs from the board's. A trace is
 * assumed to be well formed; one that cannot be read is refused, with the line.
 *
 * Time is in whole nanoseconds since the start. `due` is when the sketch will next do something. It
 * is NEVER while the sketch waits for a byte, so that an arriving byte costs one comparison. */

#define _GNU_SOURCE /* memmem, MAP_POPULATE */
#include <fcntl.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define NEVER INT64_MAX
#define SECOND INT64_C(1000000000)

/* The durations of the steps in nanoseconds; the same figures as in ClassicSketch.swift. */
enum {
  FIRST_WRITE = 197000,
  START_UP = 1000205000,
  BYTE_READ = 3200,
  ANGLE_WRITE = 54000,
  ANGLE_READ = 49000,
  BOTTOM_TURN = 48000,
  PURGE_READ = 2300,
  STEP = 15060330,
  STEP_WRITE = 54000,
  SCAN_EXIT = 5400,
  FIRST_PULSE = 52918000,
  PULSE_PERIOD = 20003200
};

static void fail(int status, const char *format, ...)
{
  va_list list;
  va_start(list, format);
  fputs("classic: error: ", stderr);
  vfprintf(stderr, format, list);
  fputc('\n', stderr);
  va_end(list);
  exit(status);
}

/* --- The resulting trace --------------------------------------------------------------------- */

enum output { SERVO, PULSE, LOST_FULL, LOST_BOOTING };

static bool summing;
static struct {
  int64_t events, servo, lost;
  int angle;
} sum = {0, 0, 0, -1};

static char text[1 << 16];
static size_t text_length;

static void flush_text(void)
{
  size_t done = 0;
  while (done < text_length) {
    ssize_t count = write(STDOUT_FILENO, text + done, text_length - done);
    if (count < 0) fail(74, "cannot write");
    done += (size_t)count;
  }
  text_length = 0;
}

static void write_bytes(const char *bytes, size_t count)
{
  while (count > 0) {
    if (text_length == sizeof text) flush_text();
    size_t part = sizeof text - text_length;
    if (part > count) part = count;
    memcpy(text + text_length, bytes, part);
    text_length += part;
    bytes += part;
    count -= part;
  }
}

static char *add_text(char *at, const char *word)
{
  size_t length = strlen(word);
  memcpy(at, word, length);
  return at + length;
}

static char *add_number(char *at, uint64_t value, int digits)
{
  char reversed[24];
  int count = 0;
  while (count < digits || value > 0) {
    reversed[count++] = (char)('0' + value % 10);
    value /= 10;
  }
  while (count > 0) *at++ = reversed[--count];
  return at;
}

/* A byte as written in a JSON string. */
static char *add_byte(char *at, uint8_t byte)
{
  static const char letters[] = "btn_fr"; /* 8 to 13 */
  if (byte == '"' || byte == '\\') {
    *at++ = '\\';
    *at++ = (char)byte;
  } else if (byte >= 8 && byte <= 13 && byte != 11) {
    *at++ = '\\';
    *at++ = letters[byte - 8];
  } else if (byte >= 0x20 && byte <= 0x7E) {
    *at++ = (char)byte;
  } else {
    at = add_text(at, "\\u00");
    *at++ = "0123456789abcdef"[byte >> 4];
    *at++ = "0123456789abcdef"[byte & 15];
  }
  return at;
}

struct event {
  int64_t time;
  enum output kind;
  int a, b;
};

static void write_event(struct event event)
{
  char line[80], *at = line;
  *at++ = '[';
  at = add_number(at, (uint64_t)(event.time / SECOND), 1);
  *at++ = '.';
  at = add_number(at, (uint64_t)(event.time % SECOND / 1000), 6);
  switch (event.kind) {
  case SERVO:
    at = add_text(at, ", \"servo\", ");
    at = add_number(at, (uint64_t)event.a, 1);
    at = add_text(at, ", ");
    at = add_number(at, (uint64_t)event.b, 1);
    break;
  case PULSE:
    at = add_text(at, ", \"pulse\", ");
    at = add_number(at, (uint64_t)event.a, 1);
    break;
  case LOST_FULL:
  case LOST_BOOTING:
    at = add_text(at, ", \"lost\", \"");
    at = add_byte(at, (uint8_t)event.a);
    at = add_text(at, event.kind == LOST_FULL ? "\", \"ring-full\"" : "\", \"booting\"");
    break;
  }
  at = add_text(at, "]\n");
  write_bytes(line, (size_t)(at - line));
}

/* At equal times, inputs precede outputs. So an output at or after `limit`, the time of the next
 * input, waits. Only a few can wait, because outputs are stamped in whole microseconds, rounded
 * up. */
static struct event held[64];
static size_t held_count;
static int64_t limit;

static void release(int64_t next_input)
{
  limit = next_input;
  size_t count = 0;
  while (count < held_count && held[count].time < limit) write_event(held[count++]);
  held_count -= count;
  memmove(held, held + count, held_count * sizeof *held);
}

static void put(enum output kind, int a, int b, int64_t time)
{
  if (summing) {
    sum.events++;
    if (kind == SERVO) {
      sum.servo++;
      sum.angle = a;
    } else if (kind != PULSE) {
      sum.lost++;
    }
    return;
  }
  struct event event = {(time + 999) / 1000 * 1000, kind, a, b};
  if (held_count == 0 && event.time < limit) {
    write_event(event);
  } else {
    if (held_count == sizeof held / sizeof *held) fail(70, "too many outputs in one microsecond");
    held[held_count++] = event;
  }
}

/* --- The sketch ------------------------------------------------------------------------------ */

enum state {
  STARTING, PAUSING, IDLE, NUMBER, WRITING, PURGING, READING_ANGLE, STEPPING, DELAYING, LEAVING_SCAN
};

static enum state state;
static int64_t clock_, due;
static uint16_t number;
static int next_angle; /* of the scan */
static bool rising;
static int stored, reported; /* pulses, microseconds; 0: none yet */

/* The core's ring: 64 places, 63 of them usable. */
static uint8_t ring[64];
static unsigned ring_head, ring_tail;

static int64_t sketch_start;
static int64_t next_edge = NEVER; /* of the pulses on the pin */

static int present_angle(void) { return (stored + 1 - 544) * 180 / 1856; }

static void store(int degrees)
{
  stored = 544 + degrees * 1856 / 180;
  if (stored == reported) return;
  reported = stored;
  put(SERVO, present_angle(), stored, clock_);
}

static bool ring_is_empty(void) { return ring_head == ring_tail; }

static uint8_t take(void)
{
  uint8_t byte = ring[ring_head];
  ring_head = (ring_head + 1) & 63;
  return byte;
}

static void enter(enum state next, int64_t stay)
{
  state = next;
  due = clock_ + stay;
}

/* Enters a state that waits for bytes. */
static void enter_waiting(enum state next)
{
  state = next;
  due = ring_is_empty() ? NEVER : clock_ + BYTE_READ;
}

static void take_command(void)
{
  switch (take()) {
  case 'X':
    number = 0;
    enter_waiting(NUMBER);
    break;
  case 'L':
    enter(READING_ANGLE, ANGLE_READ);
    break;
  default:
    if (ring_is_empty()) enter_waiting(IDLE);
    else enter(PURGING, PURGE_READ);
  }
}

/* The scan peeks before each step; any byte ends it. */
static void look(void)
{
  if (ring_is_empty()) enter(STEPPING, STEP_WRITE);
  else enter(LEAVING_SCAN, SCAN_EXIT);
}

/* Runs the sketch up to and including `end`. */
static void run(int64_t end)
{
  while (due <= end) {
    clock_ = due;
    switch (state) {
    case STARTING:
      store(90);
      enter(PAUSING, START_UP - FIRST_WRITE);
      break;
    case PAUSING:
      enter_waiting(IDLE);
      break;
    case IDLE:
    case LEAVING_SCAN:
      take_command();
      break;
    case NUMBER: {
      uint8_t byte = take();
      if (byte >= '0' && byte <= '9') {
        number = (uint16_t)(number * 10u + (byte - '0'));
        enter_waiting(NUMBER);
      } else if (byte == 0xFF) { /* -1 in a signed char, which also means "no byte" */
        enter_waiting(NUMBER);
      } else if (number <= 180) {
        enter(WRITING, ANGLE_WRITE);
      } else {
        enter_waiting(IDLE);
      }
      break;
    }
    case WRITING:
      store(number);
      enter_waiting(IDLE);
      break;
    case PURGING:
      take();
      if (ring_is_empty()) enter_waiting(IDLE);
      else enter(PURGING, PURGE_READ);
      break;
    case READING_ANGLE:
      next_angle = present_angle();
      rising = next_angle <= 160;
      if (!rising) next_angle = 160;
      look();
      break;
    case STEPPING: {
      int64_t rest = STEP - STEP_WRITE;
      store(next_angle);
      if (rising) {
        if (next_angle == 160) rising = false;
        else next_angle++;
      } else if (next_angle == 20) {
        rising = true;
        rest += BOTTOM_TURN;
      } else {
        next_angle--;
      }
      enter(DELAYING, rest);
      break;
    }
    case DELAYING:
      look();
      break;
    }
  }
}

/* --- The board ------------------------------------------------------------------------------- */

static bool shows_pulses;

static void start_board(int64_t start, bool is_running)
{
  sketch_start = start;
  ring_head = ring_tail = 0;
  reported = 0;
  clock_ = start;
  if (is_running) {
    stored = 1472;
    enter_waiting(IDLE);
  } else {
    stored = 0;
    enter(STARTING, FIRST_WRITE);
  }
  next_edge = shows_pulses ? start + FIRST_PULSE : NEVER;
}

static void advance_board(int64_t end)
{
  while (next_edge <= end) {
    run(next_edge);
    if (stored != 0) put(PULSE, stored, 0, next_edge);
    next_edge += PULSE_PERIOD;
  }
  run(end);
}

/* Called when the stop bit of a byte ends. */
static void receive(uint8_t byte, int64_t time)
{
  advance_board(time);
  if (time < sketch_start) {
    put(LOST_BOOTING, byte, 0, time);
    return;
  }
  unsigned next = (ring_tail + 1) & 63;
  if (next == ring_head) {
    put(LOST_FULL, byte, 0, time);
    return;
  }
  ring[ring_tail] = byte;
  ring_tail = next;
  if (due == NEVER) {
    if (clock_ < time) clock_ = time;
    due = clock_ + BYTE_READ;
  }
}

/* --- The line: ten bit times per byte; records wait for each other ---------------------------- */

struct record {
  const uint8_t *bytes;
  size_t count;
  int64_t time;
  uint8_t *owned; /* to be freed */
};

static struct record *queue;
static size_t queue_head, queue_tail, queue_room;
static size_t sent;        /* bytes of the first record */
static int64_t line_clock; /* when the last byte ended */
static int64_t baud = 9600, byte_whole, byte_part, remainder_;

static void begin_record(void)
{
  if (queue_head == queue_tail) return;
  sent = 0;
  if (line_clock < queue[queue_head].time) {
    line_clock = queue[queue_head].time;
    remainder_ = 0;
  }
}

static void send_record(struct record record)
{
  if (record.count == 0) return;
  bool was_empty = queue_head == queue_tail;
  if (was_empty) queue_head = queue_tail = 0;
  if (queue_tail == queue_room) {
    queue_room = queue_room ? 2 * queue_room : 16;
    queue = realloc(queue, queue_room * sizeof *queue);
    if (!queue) fail(74, "out of memory");
  }
  queue[queue_tail++] = record;
  if (was_empty) begin_record();
}

static void advance(int64_t end)
{
  while (queue_head != queue_tail) {
    const struct record *record = &queue[queue_head];
    while (sent < record->count) {
      int64_t time = line_clock + byte_whole, part = remainder_ + byte_part;
      if (part >= baud) {
        part -= baud;
        time++;
      }
      if (time > end) {
        advance_board(end);
        return;
      }
      line_clock = time;
      remainder_ = part;
      receive(record->bytes[sent++], time);
    }
    free(record->owned);
    queue_head++;
    begin_record();
  }
  advance_board(end);
}

/* --- Reading the trace ------------------------------------------------------------------------ */

static size_t line_number = 1;

static void malformed(void) { fail(65, "line %zu: not a valid line of a trace", line_number); }

static const char *skip_space(const char *at, const char *end)
{
  while (at < end && (*at == ' ' || *at == '\t' || *at == '\r')) at++;
  return at;
}

static const char *expect_mark(const char *at, const char *end, char mark)
{
  at = skip_space(at, end);
  if (at == end || *at != mark) malformed();
  return at + 1;
}

/* A decimal with at most nine places, in whole billionths. */
static const char *read_billionths(const char *at, const char *end, int64_t *value)
{
  at = skip_space(at, end);
  const char *start = at;
  int64_t whole = 0, fraction = 0, scale = SECOND;
  while (at < end && *at >= '0' && *at <= '9') whole = whole * 10 + (*at++ - '0');
  if (at == start || at - start > 10) malformed();
  if (at < end && *at == '.') {
    for (at++; at < end && *at >= '0' && *at <= '9'; at++) {
      scale /= 10;
      fraction += (*at - '0') * scale;
    }
  }
  *value = whole * SECOND + fraction;
  return at;
}

/* The part of a string between its quotes. */
static const char *string_end(const char *at, const char *end)
{
  while (at < end && *at != '"') at += *at == '\\' ? 2 : 1;
  if (at >= end) malformed();
  return at;
}

static int hex(char digit)
{
  if (digit >= '0' && digit <= '9') return digit - '0';
  digit |= 0x20;
  if (digit < 'a' || digit > 'f') malformed();
  return digit - 'a' + 10;
}

/* The bytes of a string with escapes or UTF-8. */
static struct record decoded(const char *at, const char *end)
{
  uint8_t *bytes = malloc((size_t)(end - at) + 1);
  if (!bytes) fail(74, "out of memory");
  size_t count = 0;
  while (at < end) {
    uint8_t byte = (uint8_t)*at++;
    if (byte == 0xC2 || byte == 0xC3) {
      byte = (uint8_t)(byte << 6 | (*at++ & 0x3F));
    } else if (byte == '\\') {
      switch (byte = (uint8_t)*at++) {
      case 'b': byte = 8; break;
      case 't': byte = 9; break;
      case 'n': byte = 10; break;
      case 'f': byte = 12; break;
      case 'r': byte = 13; break;
      case 'u':
        if (end - at < 4 || hex(at[0]) || hex(at[1])) malformed();
        byte = (uint8_t)(hex(at[2]) << 4 | hex(at[3]));
        at += 4;
      }
    }
    bytes[count++] = byte;
  }
  return (struct record){bytes, count, 0, bytes};
}

static bool is_word(const char *start, const char *end, const char *word)
{
  size_t length = strlen(word);
  return (size_t)(end - start) == length && memcmp(start, word, length) == 0;
}

static int64_t duration = -1;
static bool is_running;

static void read_header(const char *at, const char *end)
{
  at = expect_mark(at, end, '{');
  while ((at = skip_space(at, end)) < end && *at == '"') {
    const char *key = at + 1, *key_end = string_end(key, end);
    const char *value = skip_space(expect_mark(key_end + 1, end, ':'), end);
    int depth = 0;
    for (at = value; at < end && (depth > 0 || (*at != ',' && *at != '}')); at++) {
      if (*at == '"') at = string_end(at + 1, end);
      else if (*at == '[' || *at == '{') depth++;
      else if (*at == ']' || *at == '}') depth--;
    }
    int64_t number;
    if (is_word(key, key_end, "firmware")) {
      if (!is_word(value, at, "\"classic\"")) fail(65, "this is the classic sketch only");
    } else if (is_word(key, key_end, "start")) {
      is_running = is_word(value, at, "\"unknown\"");
    } else if (is_word(key, key_end, "baud")) {
      read_billionths(value, end, &number);
      baud = number / SECOND;
      if (baud <= 0) malformed();
    } else if (is_word(key, key_end, "duration")) {
      read_billionths(value, end, &duration);
    }
    if (at < end && *at == ',') at++;
  }
}

/* Reads one event from the line at[..<end] and returns its time. */
static int64_t take_event(const char *at, const char *end)
{
  const char *line = at;
  int64_t time, number;
  at = read_billionths(expect_mark(at, end, '['), end, &time);
  at = expect_mark(expect_mark(at, end, ','), end, '"');
  const char *kind = at;
  at = string_end(at, end);
  if (is_word(kind, at, "servo") || is_word(kind, at, "pulse") || is_word(kind, at, "lost") ||
      is_word(kind, at, "tx") || is_word(kind, at, "tone") || (duration >= 0 && time > duration))
    return time;

  if (!summing) release(time);
  advance(time);
  if (!summing) write_bytes(line, (size_t)(end - line) + 1);
  if (is_word(kind, at, "rx")) {
    at = expect_mark(expect_mark(at + 1, end, ','), end, '"');
    const char *close = at;
    while (close < end && *close != '"' && *close != '\\' && !(*close & 0x80)) close++;
    struct record record;
    if (close < end && *close == '"')
      record = (struct record){(const uint8_t *)at, (size_t)(close - at), 0, NULL};
    else
      record = decoded(at, string_end(at, end));
    record.time = time;
    send_record(record);
  } else if (is_word(kind, at, "baud")) {
    read_billionths(expect_mark(at + 1, end, ','), end, &number);
    if (number / SECOND != baud) fail(69, "a sender at another speed is not written here");
  } else if (is_word(kind, at, "reset")) {
    read_billionths(expect_mark(at + 1, end, ','), end, &number);
    start_board(time + number, false);
  }
  return time;
}

int main(int count, char **arguments)
{
  summing = count == 3 && strcmp(arguments[1], "--summary") == 0;
  if (count != 2 && !summing) fail(64, "usage: classic [--summary] TRACE");
  int file = open(arguments[count - 1], O_RDONLY);
  struct stat status;
  if (file < 0 || fstat(file, &status) != 0 || status.st_size == 0) fail(66, "no such trace");
  size_t size = (size_t)status.st_size;
  const char *at = mmap(NULL, size, PROT_READ, MAP_PRIVATE | MAP_POPULATE, file, 0);
  if (at == MAP_FAILED) fail(74, "the trace cannot be read");
  const char *end = at + size;
  if (end[-1] != '\n') fail(65, "the last line has no end");

  shows_pulses = memmem(at, size, "\"pulse\"", 7) != NULL;
  int64_t last = 0;
  for (const char *next; at < end; at = next, line_number++) {
    const char *newline = memchr(at, '\n', (size_t)(end - at));
    next = newline + 1;
    if (line_number > 1) {
      last = take_event(at, newline);
      continue;
    }
    read_header(at, newline);
    byte_whole = 10 * SECOND / baud;
    byte_part = 10 * SECOND % baud;
    start_board(0, is_running);
    if (!summing) write_bytes(at, (size_t)(next - at));
  }

  if (duration >= 0) last = duration;
  release(NEVER);
  advance(last);
  if (summing) {
    char line[200], *to = line, angle[16] = "null";
    to = add_text(to, "{\"seconds\": ");
    to = add_number(to, (uint64_t)(last / SECOND), 1);
    if (last % SECOND) {
      *to++ = '.';
      to = add_number(to, (uint64_t)(last % SECOND), 9);
      while (to[-1] == '0') to--;
    }
    if (sum.angle >= 0) snprintf(angle, sizeof angle, "%d", sum.angle);
    to += sprintf(to, ", \"events\": %lld, \"servo\": %lld, \"angle\": %s, \"lost\": %lld}\n",
      (long long)sum.events, (long long)sum.servo, angle, (long long)sum.lost);
    write_bytes(line, (size_t)(to - line));
  }
  flush_text();
  return 0;
}
