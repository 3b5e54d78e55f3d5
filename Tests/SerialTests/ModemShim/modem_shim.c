/*
 * Makes a pty look like a serial port, with modem lines that a pty does not have. So programs that
 * accept only serial ports can be tested without one. For LD_PRELOAD.
 *
 *   MODEM_SHIM_NAME  the name of a terminal without hardware, such as /dev/tty10
 *   MODEM_SHIM_PTY   the pty that is opened instead of it
 *   MODEM_SHIM_LOG   a log of changes: nanoseconds of the monotonic clock, what changed, its value
 *
 * If one of them is not set, every call is passed to the system unchanged.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

#define NEXT(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

int __open_2(const char *path, int flags);
int __open64_2(const char *path, int flags);

static int lines = 0;

static const char *setting(const char *name) {
  const char *value = getenv(name);
  return value && *value ? value : NULL;
}

static int is_on(void) {
  return setting("MODEM_SHIM_NAME") && setting("MODEM_SHIM_PTY") && setting("MODEM_SHIM_LOG");
}

static void note(const char *what, int value) {
  struct timespec now;
  char text[96];
  int count, log, saved = errno;
  clock_gettime(CLOCK_MONOTONIC, &now);
  count = snprintf(
    text, sizeof text, "%lld%09ld %s %d\n", (long long)now.tv_sec, now.tv_nsec, what, value);
  log = NEXT(open)(setting("MODEM_SHIM_LOG"), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  if (log < 0 || write(log, text, count) != count) abort();
  close(log);
  errno = saved;
}

static void set_lines(int value) {
  int changed = lines ^ value;
  lines = value;
  if (changed & TIOCM_DTR) note("DTR", !!(value & TIOCM_DTR));
  if (changed & TIOCM_RTS) note("RTS", !!(value & TIOCM_RTS));
}

/* The pty for MODEM_SHIM_NAME; every other path unchanged. */
static const char *lent(const char *path) {
  if (!is_on() || !path || strcmp(path, setting("MODEM_SHIM_NAME"))) return path;
  note("open", 1);
  /* The kernel does the same when a serial port is opened. */
  set_lines(lines | TIOCM_DTR | TIOCM_RTS);
  return setting("MODEM_SHIM_PTY");
}

static int is_lent(int descriptor) {
  struct stat pty, other;
  return is_on() && stat(setting("MODEM_SHIM_PTY"), &pty) == 0 && fstat(descriptor, &other) == 0 &&
         S_ISCHR(other.st_mode) && pty.st_rdev == other.st_rdev;
}

#define MODE(flags, mode)                       \
  mode_t mode = 0;                              \
  if ((flags) & (O_CREAT | __O_TMPFILE)) {      \
    va_list rest;                               \
    va_start(rest, flags);                      \
    mode = va_arg(rest, mode_t);                \
    va_end(rest);                               \
  }

int open(const char *path, int flags, ...) {
  MODE(flags, mode)
  return NEXT(open)(lent(path), flags, mode);
}

int open64(const char *path, int flags, ...) {
  MODE(flags, mode)
  return NEXT(open64)(lent(path), flags, mode);
}

int openat(int folder, const char *path, int flags, ...) {
  MODE(flags, mode)
  return NEXT(openat)(folder, lent(path), flags, mode);
}

int __open_2(const char *path, int flags) { return NEXT(open)(lent(path), flags); }

int __open64_2(const char *path, int flags) { return NEXT(open64)(lent(path), flags); }

int ioctl(int descriptor, unsigned long request, ...) {
  va_list rest;
  void *argument;
  va_start(rest, request);
  argument = va_arg(rest, void *);
  va_end(rest);
  if (is_lent(descriptor)) switch (request) {
    case TIOCMGET: *(int *)argument = lines | TIOCM_CTS | TIOCM_DSR | TIOCM_CD; return 0;
    case TIOCMSET: set_lines(*(int *)argument & (TIOCM_DTR | TIOCM_RTS)); return 0;
    case TIOCMBIS: set_lines(lines | (*(int *)argument & (TIOCM_DTR | TIOCM_RTS))); return 0;
    case TIOCMBIC: set_lines(lines & ~*(int *)argument); return 0;
    /* Not applied to the pty, because that would lock out the program at its other end. */
    case TIOCEXCL: note("EXCL", 1); return 0;
    case TIOCNXCL: note("EXCL", 0); return 0;
    }
  return NEXT(ioctl)(descriptor, request, argument);
}

int tcsetattr(int descriptor, int when, const struct termios *settings) {
  if (is_lent(descriptor)) {
    note("HUPCL", !!(settings->c_cflag & HUPCL));
    speed_t speed = cfgetospeed(settings);
    note("speed", speed == B9600 ? 9600 : speed == B57600 ? 57600 : -1);
  }
  return NEXT(tcsetattr)(descriptor, when, settings);
}
