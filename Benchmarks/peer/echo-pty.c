/* echo-pty STAMPS: a board that echoes. It is a pty in raw mode that returns all bytes immediately.
 * It prints `port PATH`, and writes to the file STAMPS (stamps.h) when it has read something. */

#include <pty.h>
#include <termios.h>

#include "stamps.h"

int main(int count, char **arguments)
{
  if (count != 2) {
    fprintf(stderr, "usage: echo-pty STAMPS\n");
    return 64;
  }
  struct stamps *stamps = open_stamps(arguments[1]);
  struct termios mode = {0};
  cfmakeraw(&mode);
  mode.c_cflag |= CREAD | CLOCAL;
  mode.c_cc[VMIN] = 1;
  cfsetspeed(&mode, B9600);
  /* The port stays open here, so that its mode is kept while senders open and close it. */
  int board, port;
  char path[64];
  if (openpty(&board, &port, path, &mode, NULL) != 0) {
    perror("pty");
    return 69;
  }
  printf("port %s\n", path);
  fflush(stdout);

  static char bytes[65536];
  for (;;) {
    ssize_t length = read(board, bytes, sizeof bytes);
    if (length > 0) stamp(stamps);
    for (ssize_t done = 0; done < length;) {
      ssize_t written = write(board, bytes + done, (size_t)(length - done));
      if (written < 0) length = -1;
      done += written;
    }
    if (length <= 0) {
      perror("board");
      return 74;
    }
  }
}
