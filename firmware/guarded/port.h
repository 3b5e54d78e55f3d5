// The serial port: 9600 baud, 8N1, a ring of 64 either way that holds 63. Nothing waits.
#pragma once

#include <stdint.h>

namespace port {

void open();

// Whether no received byte waits.
bool isEmpty();
// The oldest received byte. There must be one.
uint8_t take();
// How many bytes were lost since this was last asked: they found the ring full, or the USART not
// yet read. Stays at 255.
uint8_t takeLost();

// How many bytes can be sent without waiting, at most 63.
uint8_t room();
// Sends one byte. There must be room.
void send(uint8_t byte);

}  // namespace port
