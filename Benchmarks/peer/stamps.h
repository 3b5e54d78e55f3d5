/* Instants on the monotonic clock that one process passes to another through a file mapped into
 * both. Only the last STAMPS_KEPT are kept; `count` says which ones. */

#include <fcntl.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

enum { STAMPS_KEPT = 64 };

struct stamps {
  _Atomic uint64_t count;
  int64_t nanoseconds[STAMPS_KEPT];
};

static inline int64_t now(void)
{
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

static inline struct stamps *open_stamps(const char *path)
{
  int file = open(path, O_RDWR | O_CREAT, 0600);
  void *memory = MAP_FAILED;
  if (file >= 0 && ftruncate(file, sizeof(struct stamps)) == 0)
    memory = mmap(NULL, sizeof(struct stamps), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (memory == MAP_FAILED) {
    perror(path);
    exit(74);
  }
  close(file);
  return memory;
}

static inline void stamp(struct stamps *stamps)
{
  uint64_t index = atomic_load_explicit(&stamps->count, memory_order_relaxed);
  stamps->nanoseconds[index % STAMPS_KEPT] = now();
  atomic_store_explicit(&stamps->count, index + 1, memory_order_release);
}
