// The guarded turret's state machine, which is written in Swift (Sources/Guarded) and compiled for
// the ATmega328P. It has no clock and no pins: bytes and the time go in, what to do comes out.
//
// `now` is the low 32 bits of microseconds since reset; it may wrap. None of this may be called from
// an interrupt.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// After a reset; aims the servo at 90 degrees, by way of sentry_action.
void sentry_begin(void);
// Takes one byte. What is due by `now` must have been done before.
void sentry_receive(uint8_t byte, uint32_t now);
// Does one thing that is due by `now`; returns whether there was one.
bool sentry_tick(uint32_t now);
// Sends one byte of a line of telemetry; returns whether there was one. To be called when there is
// nothing else to do, until there is none.
bool sentry_speak(void);
// Microseconds from `now` until sentry_tick has something to do, 0 when it has; UINT32_MAX: not
// until a byte comes.
uint32_t sentry_wait(uint32_t now);
// Counts a byte that was lost before it could be handed over.
void sentry_lost(void);

// These three are the sketch's to provide.

// Carries out what was decided: a pulse in microseconds, 0 leaves the servo; a frequency, 0 is
// silence, -1 leaves the buzzer.
void sentry_action(uint16_t pulse_us, int32_t hertz);
// How many bytes sentry_send can take without waiting.
uint8_t sentry_room(void);
// Sends one byte. There is room.
void sentry_send(uint8_t byte);

#ifdef __cplusplus
}
#endif
