/* The sending side of the gateway benchmarks, with a blocking socket and its own code for frames. A
 * link is a WebSocket, a bare TCP connection or a port. */

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

enum { PATIENCE_S = 5, CONTROL_MAX = 125, HEADER_MAX = 14 };
enum { CONTINUATION = 0, TEXT = 1, BINARY = 2, CLOSE = 8, PING = 9 };

struct link {
  int descriptor;
  int kind; /* of a WebSocket's messages: TEXT or BINARY; 0: not a WebSocket */
  /* The frame being read. */
  uint8_t header[10];
  unsigned header_count;
  uint64_t left;
  uint8_t control[CONTROL_MAX];
  unsigned control_count;
  /* The payload of a ping that has not been answered. */
  uint8_t ping[CONTROL_MAX];
  int ping_count; /* -1: none */
  uint64_t messages;
};

/* Receives the payload of data frames, or the bytes of a link without frames, as they arrive. */
typedef void sink(const uint8_t *bytes, size_t count);

static inline void fail(const char *what)
{
  if (errno)
    perror(what);
  else
    fprintf(stderr, "%s\n", what);
  exit(74);
}

static inline void write_all(int descriptor, const void *bytes, size_t count)
{
  for (size_t done = 0; done < count;) {
    ssize_t written = write(descriptor, (const char *)bytes + done, count - done);
    if (written < 0) fail("write");
    done += (size_t)written;
  }
}

/* Writes a complete, masked frame and returns its length. Each frame has another mask. */
static inline size_t make_frame(uint8_t *frame, int opcode, const uint8_t *payload, size_t count)
{
  static uint32_t mask = 0x9e3779b9;
  mask = mask * 1664525 + 1013904223;
  size_t length = 0;
  frame[length++] = (uint8_t)(0x80 | opcode);
  if (count < 126) {
    frame[length++] = (uint8_t)(0x80 | count);
  } else {
    frame[length++] = 0x80 | 126;
    frame[length++] = (uint8_t)(count >> 8);
    frame[length++] = (uint8_t)count;
  }
  uint8_t *key = frame + length;
  memcpy(key, &mask, 4);
  length += 4;
  for (size_t index = 0; index < count; index++) frame[length++] = payload[index] ^ key[index & 3];
  return length;
}

static inline int connect_to(int port)
{
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  int descriptor = socket(AF_INET, SOCK_STREAM, 0);
  int yes = 1;
  struct timeval patience = {PATIENCE_S, 0};
  if (descriptor < 0 || connect(descriptor, (struct sockaddr *)&address, sizeof address) != 0 ||
      setsockopt(descriptor, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes) != 0 ||
      setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience) != 0)
    fail("connect");
  return descriptor;
}

/* Performs the opening handshake. The answer is read byte by byte, because a frame can follow
 * it. */
static inline void upgrade(int descriptor, int port, const char *path)
{
  char text[2048];
  int length = snprintf(text, sizeof text,
                        "GET %s HTTP/1.1\r\nHost: 127.0.0.1:%d\r\n"
                        "Upgrade: websocket\r\nConnection: Upgrade\r\n"
                        "Sec-WebSocket-Version: 13\r\n"
                        "Sec-WebSocket-Key: AAECAwQFBgcICQoLDA0ODw==\r\n\r\n",
                        path, port);
  write_all(descriptor, text, (size_t)length);
  size_t count = 0;
  while (count < 4 || memcmp(text + count - 4, "\r\n\r\n", 4) != 0) {
    if (count == sizeof text - 1 || read(descriptor, text + count, 1) != 1)
      fail("no answer to the handshake");
    count++;
  }
  text[count] = 0;
  if (strncmp(text, "HTTP/1.1 101", 12) != 0) {
    errno = 0;
    fail(text);
  }
}

/* Opens `text:PORT/PATH` or `binary:PORT/PATH` (a WebSocket with messages of that kind),
 * `tcp:PORT`, or the path of a port. */
static inline struct link open_link(const char *address)
{
  struct link link = {.ping_count = -1};
  int port;
  bool is_text = sscanf(address, "text:%d", &port) == 1;
  if (is_text || sscanf(address, "binary:%d", &port) == 1) {
    link.kind = is_text ? TEXT : BINARY;
    link.descriptor = connect_to(port);
    upgrade(link.descriptor, port, strchr(address, '/'));
  } else if (sscanf(address, "tcp:%d", &port) == 1) {
    link.descriptor = connect_to(port);
  } else {
    link.descriptor = open(address, O_RDWR | O_NOCTTY);
    if (link.descriptor < 0) fail(address);
  }
  return link;
}

/* Passes the bytes that belong to the present frame to the sink or the control buffer. */
static inline size_t take_payload(struct link *link, const uint8_t *bytes, size_t count, sink *sink)
{
  size_t part = count < link->left ? count : (size_t)link->left;
  if (link->header[0] & 8) {
    if (link->control_count + part > CONTROL_MAX) fail("a control frame that is too long");
    memcpy(link->control + link->control_count, bytes, part);
    link->control_count += (unsigned)part;
  } else {
    sink(bytes, part);
  }
  link->left -= part;
  return part;
}

static inline void end_frame(struct link *link)
{
  int opcode = link->header[0] & 15;
  if (opcode == CLOSE) {
    errno = 0;
    fprintf(stderr, "closed: %d %.*s\n",
            link->control_count < 2 ? 1005 : link->control[0] << 8 | link->control[1],
            link->control_count < 2 ? 0 : (int)link->control_count - 2, (char *)link->control + 2);
    exit(74);
  }
  if (opcode == PING) {
    memcpy(link->ping, link->control, link->control_count);
    link->ping_count = (int)link->control_count;
  } else if (opcode < CLOSE && link->header[0] & 0x80) {
    link->messages++;
  }
  link->header_count = link->control_count = 0;
}

/* The length of the header, as far as it is known. */
static inline unsigned header_length(const struct link *link)
{
  if (link->header_count < 2) return 2;
  return link->header[1] == 126 ? 4 : link->header[1] == 127 ? 10 : 2;
}

/* Passes the payload of the bytes that were read to the sink. */
static inline void take(struct link *link, const uint8_t *bytes, size_t count, sink *sink)
{
  if (!link->kind) {
    sink(bytes, count);
    return;
  }
  while (count > 0) {
    if (link->header_count < header_length(link)) {
      link->header[link->header_count++] = *bytes++;
      count--;
      unsigned length = header_length(link);
      if (link->header_count < length) continue;
      link->left = length == 2 ? link->header[1] : 0;
      for (unsigned index = 2; index < length; index++)
        link->left = link->left << 8 | link->header[index];
    }
    size_t part = take_payload(link, bytes, count, sink);
    bytes += part;
    count -= part;
    if (link->left == 0) end_frame(link);
  }
}

/* Sends a pong that is due. It must be called between frames. */
static inline void answer_ping(struct link *link)
{
  if (link->ping_count < 0) return;
  uint8_t frame[HEADER_MAX + CONTROL_MAX];
  size_t length = make_frame(frame, PING + 1, link->ping, (size_t)link->ping_count);
  write_all(link->descriptor, frame, length);
  link->ping_count = -1;
}
