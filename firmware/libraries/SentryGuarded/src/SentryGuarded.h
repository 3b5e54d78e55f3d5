// The guarded turret's state machine, which is written in Swift (Sources/Guarded) and compiled for
// the ATmega328P. It has no clock and no pins: it takes bytes and the time, and calls the functions
// at the end of this file.
//
// `now` is the low 32 bits of the microseconds since reset, which wrap. None of these functions may
// be called from an interrupt.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#if !defined(__AVR_ATmega328P__)
#error "SentryGuarded is compiled for the ATmega328P only (Uno, Nano, Pro Mini). \
For any other board, use the sketch firmware/published."
#endif
// 10607 is what arduino-cli and the IDE 2 state, whatever their version.
#if defined(ARDUINO) && ARDUINO < 10806 && ARDUINO != 10607
#error "SentryGuarded is a precompiled library, which requires the Arduino IDE 1.8.6, \
or arduino-builder 1.4.0."
#endif

#ifdef __cplusplus
extern "C" {
#endif

// Must be called after a reset. Aims the servo at 90 degrees through sentry_action.
void sentry_begin(void);
// Takes one byte. Everything due by `now` must already have been done (sentry_tick).
void sentry_receive(uint8_t byte, uint32_t now);
// Does one thing that is due by `now`. Returns false if there was nothing to do.
bool sentry_tick(uint32_t now);
// Sends one byte of a line of telemetry. Returns false if there was none. Call it when there is
// nothing else to do, until it returns false.
bool sentry_speak(void);
// Returns the microseconds from `now` until sentry_tick has something to do: 0 if it has already,
// UINT32_MAX if it has nothing to do until a byte arrives.
uint32_t sentry_wait(uint32_t now);
// Counts a byte that was lost before it could be passed on.
void sentry_lost(void);

// The sketch must define the following three functions.

// Carries out a decision. `pulse_us` is in microseconds; 0 leaves the servo unchanged. `hertz` is a
// frequency; 0 stops the tone, -1 leaves the buzzer unchanged.
void sentry_action(uint16_t pulse_us, int32_t hertz);
// Returns how many bytes sentry_send can take without waiting.
uint8_t sentry_room(void);
// Sends one byte. It is called only if there is room.
void sentry_send(uint8_t byte);

#ifdef __cplusplus
}
#endif
