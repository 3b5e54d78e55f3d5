/* echo-socket PATH: accepts one connection on a Unix socket and returns all bytes immediately. */

#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

int main(int count, char **arguments)
{
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  if (count != 2 || strlen(arguments[1]) >= sizeof address.sun_path) {
    fprintf(stderr, "usage: echo-socket PATH\n");
    return 64;
  }
  strcpy(address.sun_path, arguments[1]);
  int listener = socket(AF_UNIX, SOCK_STREAM, 0);
  if (bind(listener, (struct sockaddr *)&address, sizeof address) != 0
      || listen(listener, 1) != 0) {
    perror("socket");
    return 69;
  }
  int client = accept(listener, NULL, NULL);
  static char bytes[65536];
  ssize_t length;
  while ((length = read(client, bytes, sizeof bytes)) > 0) {
    if (write(client, bytes, (size_t)length) != length) return 74;
  }
  return 0;
}
