// The serial port: 9600 baud, 8N1, with a ring of 64 places in each direction that holds 63 bytes.
// No function waits.
#pragma once

#include <stdint.h>

namespace port {

void open();

// Whether no received byte is waiting.
bool isEmpty();
// Returns the oldest received byte. There must be one.
uint8_t take();
// Returns how many bytes were lost since the last call, because the ring was full or the USART had
// not been read. The count saturates at 255.
uint8_t takeLost();

// How many bytes can be sent without waiting, at most 63.
uint8_t room();
// Sends one byte. There must be room.
void send(uint8_t byte);

}  // namespace port
