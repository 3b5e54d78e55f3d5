/* gateway-sender ADDRESS STAMPS: measures a gateway as its sender sees it (sender.h, stamps.h). The
 * board connected to the gateway is echo-pty. The program connects once, prints `ready`, and
 * executes the lines of its input:
 *   times COUNT PACE_US   sends X90. COUNT times, one at a time, with a pause in between. Prints a
 *       line for each: the nanoseconds until it was echoed, and until the board had read its first
 *       byte. Then prints an empty line.
 *   bulk SIZE WINDOW SECONDS   sends messages of SIZE bytes as fast as they are accepted, with at
 *       most WINDOW bytes not yet echoed. Prints the number of bytes echoed, and the nanoseconds
 *       from sending the first to receiving the last. */

#define _GNU_SOURCE
#include <poll.h>
#include <signal.h>

#include "sender.h"
#include "stamps.h"

enum { BATCH_BYTES = 65536, STOPPED_MS = 2000 };

static const uint8_t aim[4] = "X90.";
static uint64_t received;

/* Checks that the bytes returned are those sent: aims, one after the other. */
static void expect_aims(const uint8_t *bytes, size_t count)
{
  for (size_t index = 0; index < count; index++) {
    if (bytes[index] != aim[received++ & 3]) {
      errno = 0;
      fprintf(stderr, "other bytes were returned: %.*s\n", count < 200 ? (int)count : 200, bytes);
      exit(74);
    }
  }
}

static void receive(struct link *link)
{
  static uint8_t bytes[262144];
  ssize_t count = read(link->descriptor, bytes, sizeof bytes);
  if (count <= 0) {
    if (count == 0) errno = 0;
    fail("nothing was returned");
  }
  take(link, bytes, (size_t)count, expect_aims);
}

static void times(struct link *link, struct stamps *stamps, int count, int pace_us)
{
  uint8_t frame[HEADER_MAX + sizeof aim];
  for (int index = 0; index < count; index++) {
    uint64_t before = atomic_load_explicit(&stamps->count, memory_order_acquire);
    uint64_t whole = received + sizeof aim;
    int64_t start = now();
    if (link->kind)
      write_all(link->descriptor, frame, make_frame(frame, link->kind, aim, sizeof aim));
    else
      write_all(link->descriptor, aim, sizeof aim);
    while (received < whole) receive(link);
    int64_t end = now();
    printf("%lld %lld\n", (long long)(end - start),
           (long long)(stamps->nanoseconds[before % STAMPS_KEPT] - start));
    if (pace_us) fflush(stdout);
    answer_ping(link);
    /* The pause varies, so that a program that polls every millisecond is not always caught in the
     * same phase. Pings are answered during the pause. */
    int64_t due = start + pace_us * 1000ll + (pace_us ? index * 370000ll % 1000000 : 0);
    for (int64_t left; pace_us && (left = due - now()) > 0;) {
      struct timespec pause = {0, left};
      struct pollfd poll_for = {link->descriptor, POLLIN, 0};
      if (ppoll(&poll_for, 1, &pause, NULL) > 0) {
        receive(link);
        answer_ping(link);
      }
    }
  }
}

/* Puts many messages into a batch, so that the sender's own cost is small. */
static size_t make_batch(
  struct link *link, uint8_t *batch, size_t size, size_t window, uint64_t *payload)
{
  static uint8_t message[BATCH_BYTES];
  for (size_t index = 0; index < size; index++) message[index] = aim[index & 3];
  size_t length = 0;
  *payload = 0;
  do {
    if (link->kind) {
      length += make_frame(batch + length, link->kind, message, size);
    } else {
      memcpy(batch + length, message, size);
      length += size;
    }
    *payload += size;
  } while (*payload + size <= window / 2 && length + size + HEADER_MAX <= BATCH_BYTES);
  return length;
}

static void bulk(struct link *link, size_t size, size_t window, double seconds)
{
  static uint8_t batch[BATCH_BYTES];
  uint64_t payload, first = received, sent = received;
  size_t length = make_batch(link, batch, size, window, &payload), done = 0;
  fcntl(link->descriptor, F_SETFL, O_NONBLOCK | fcntl(link->descriptor, F_GETFL));
  int64_t start = now(), end = start + (int64_t)(seconds * 1e9);
  while (now() < end || done > 0 || received < sent) {
    /* A batch that was begun is sent completely. */
    bool may_send = done > 0 || (now() < end && sent + payload - received <= window);
    bool may_write = may_send || link->ping_count >= 0;
    struct pollfd poll_for = {link->descriptor, (short)(may_write ? POLLIN | POLLOUT : POLLIN), 0};
    if (poll(&poll_for, 1, STOPPED_MS) < 1) {
      errno = 0;
      fail("it has stopped");
    }
    if (poll_for.revents & (POLLIN | POLLERR | POLLHUP)) receive(link);
    if (!(poll_for.revents & POLLOUT)) continue;
    if (done == 0) answer_ping(link);
    if (may_send) {
      ssize_t written = write(link->descriptor, batch + done, length - done);
      if (written < 0 && errno != EAGAIN) fail("write");
      if (written > 0) done += (size_t)written;
      if (done == length) {
        done = 0;
        sent += payload;
      }
    }
  }
  printf("%llu %lld\n", (unsigned long long)(received - first), (long long)(now() - start));
  fcntl(link->descriptor, F_SETFL, ~O_NONBLOCK & fcntl(link->descriptor, F_GETFL));
}

/* Reads the next line of the input, and answers pings meanwhile. Returns false at the end. */
static bool next_line(struct link *link, char *line, size_t room)
{
  for (;;) {
    struct pollfd poll_for[2] = {{STDIN_FILENO, POLLIN, 0}, {link->descriptor, POLLIN, 0}};
    if (poll(poll_for, 2, -1) < 1) fail("poll");
    if (poll_for[1].revents) receive(link);
    answer_ping(link);
    if (poll_for[0].revents) {
      /* The benchmark writes one line at a time, so no other line can follow in the pipe. */
      ssize_t count = read(STDIN_FILENO, line, room - 1);
      if (count <= 0) return false;
      line[count] = 0;
      return true;
    }
  }
}

int main(int count, char **arguments)
{
  if (count != 3) {
    fprintf(stderr, "usage: gateway-sender ADDRESS STAMPS\n");
    return 64;
  }
  signal(SIGPIPE, SIG_IGN);
  struct link link = open_link(arguments[1]);
  struct stamps *stamps = open_stamps(arguments[2]);
  printf("ready\n");
  fflush(stdout);
  for (char line[256]; next_line(&link, line, sizeof line);) {
    int number, pace_us, size, window;
    double seconds;
    if (sscanf(line, "times %d %d", &number, &pace_us) == 2) {
      times(&link, stamps, number, pace_us);
    } else if (sscanf(line, "bulk %d %d %lf", &size, &window, &seconds) == 3 && size > 0 &&
               size % 4 == 0 && size <= window / 2 && size <= BATCH_BYTES - HEADER_MAX) {
      bulk(&link, (size_t)size, (size_t)window, seconds);
    } else {
      errno = 0;
      fail("invalid request");
    }
    printf("\n");
    fflush(stdout);
  }
  return 0;
}
