/* gateway-watchers PORT PATH COUNT: COUNT WebSocket clients that only receive and answer pings.
 * Prints `ready` when all are connected. At the end of its input it prints the least and the
 * greatest number of messages that a client received, and the bytes received by all. */

#include <signal.h>
#include <sys/epoll.h>

#include "sender.h"

static uint64_t bytes_received;

static void count_bytes(const uint8_t *bytes, size_t count)
{
  (void)bytes;
  bytes_received += count;
}

static void receive(struct link *link)
{
  static uint8_t bytes[65536];
  ssize_t count = read(link->descriptor, bytes, sizeof bytes);
  if (count <= 0) {
    if (count == 0) errno = 0;
    fail("a watcher's connection ended");
  }
  take(link, bytes, (size_t)count, count_bytes);
  answer_ping(link);
}

static void watch(int events, int descriptor, struct link *link)
{
  struct epoll_event event = {.events = EPOLLIN, .data.ptr = link};
  if (epoll_ctl(events, EPOLL_CTL_ADD, descriptor, &event) != 0) fail("epoll");
}

/* Handles everything that has arrived, or arrives within the wait. Returns false at the end of the
 * input. */
static bool serve(int events, int wait_ms)
{
  struct epoll_event ready[256];
  int count = epoll_wait(events, ready, 256, wait_ms);
  for (int index = 0; index < count; index++) {
    if (ready[index].data.ptr == NULL) return false;
    receive(ready[index].data.ptr);
  }
  return true;
}

int main(int count, char **arguments)
{
  if (count != 4 || atoi(arguments[3]) < 1) {
    fprintf(stderr, "usage: gateway-watchers PORT PATH COUNT\n");
    return 64;
  }
  signal(SIGPIPE, SIG_IGN);
  int clients = atoi(arguments[3]);
  struct link *links = calloc((size_t)clients, sizeof *links);
  int events = epoll_create1(0);
  char address[256];
  snprintf(address, sizeof address, "text:%s%s", arguments[1], arguments[2]);
  watch(events, STDIN_FILENO, NULL);
  for (int index = 0; index < clients; index++) {
    links[index] = open_link(address);
    watch(events, links[index].descriptor, &links[index]);
    serve(events, 0);
  }
  printf("ready\n");
  fflush(stdout);
  while (serve(events, -1)) {}
  uint64_t fewest = UINT64_MAX, most = 0;
  for (int index = 0; index < clients; index++) {
    if (links[index].messages < fewest) fewest = links[index].messages;
    if (links[index].messages > most) most = links[index].messages;
  }
  printf("%llu %llu %llu\n", (unsigned long long)fewest, (unsigned long long)most,
         (unsigned long long)bytes_received);
  return 0;
}
