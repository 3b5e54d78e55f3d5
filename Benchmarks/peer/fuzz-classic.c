/* The C peer under libFuzzer, which the search is compared with:
 *
 *     clang -O2 -g -fsanitize=fuzzer fuzz-classic.c -o fuzz-classic
 *     fuzz-classic -max_len=640 -max_total_time=60 -seed=1 [CORPUS]
 *
 * An input is pairs of bytes: a gap, as the search draws them, and a byte that is sent after it. Like
 * a session of the search, it begins with the board's start or after its start-up, and ends half a
 * second after its last byte. With -DRING_FULL it ends when the ring is full. */

#define main peer_main
#include "classic.c"
#undef main

static const int64_t gaps[] = {0, 0, 500000, 1000000, 2000000, 5000000, 10000000, 15000000,
  20000000, 33000000, 60000000, 100000000, 200000000, 240000000, 260000000, 500000000};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  summing = true;
  memset(&sum, 0, sizeof sum);
  state = STARTING;
  number = 0;
  next_angle = 0;
  rising = false;
  queue_head = queue_tail = sent = 0;
  line_clock = remainder_ = 0;
  byte_whole = 10 * SECOND / baud;
  byte_part = 10 * SECOND % baud;
  start_board(0, false);
  if (size < 1) return 0;
  int64_t time = data[0] & 1 ? 0 : 3 * SECOND / 2;
  for (size_t at = 1; at + 1 < size; at += 2) {
    time += gaps[data[at] & 15];
    advance(time);
    send_record((struct record){data + at + 1, 1, time, NULL});
  }
  advance(time + SECOND / 2);
#ifdef RING_FULL
  if (sum.lost > 0) abort();
#endif
  return 0;
}
