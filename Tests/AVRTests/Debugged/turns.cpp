// The programs of LoopCodeTests: a `main` like that of Arduino's core, with `loop` inlined (turns-X)
// or as a function of its own (turns-X-apart). Compiled with avr-g++ 5.4, -Os -gdwarf-2 -flto, and
// -DX, with -DAPART or not. turns-merged has nothing between two turns: -DEARLY -DMERGED.
#include <avr/io.h>
#include <stdint.h>

static void wait(uint8_t ticks) {
  for (uint8_t count = 0; count < ticks; count++) {
    while (!(TIFR0 & 1 << TOV0));
    TIFR0 = 1 << TOV0;
  }
}

volatile uint8_t given, other;
int at, to;

static bool isReady() { return ++given % 4 == 0; }

#ifdef APART
__attribute__((noinline))
#else
inline
#endif
static void
loop() {
#if defined EARLY
  // Returns early, and has a loop of which the compiler has lost whose some instructions are.
  if (!isReady()) return;
  to = to == 9 ? 2 : 9;
  while (at != to) {
    at += to > at ? 1 : -1;
    wait(3);
  }
#elif defined WAITS
  // Begins with a loop, which has the same first instruction as that of `main`.
  while (!isReady()) wait(5);
  other++;
#elif defined CASES
  switch (given++ & 7) {
    case 0: wait(1); break;
    case 1: at = 3; break;
    case 2: while (at--) wait(4); break;
    case 3: other = 5; wait(7); break;
    case 4: PORTB = 1; wait(other); break;
    case 5: PORTB = 2; return;
    case 6: do wait(2); while (--other); break;
    default: PORTC = 1; wait(9);
  }
#endif
}

__attribute__((noinline, used)) static void serialEventRun() { PORTD++; }

#line 35 "main.cpp"
int main() {
  TCCR0B = 1;
  for (;;) {
    loop();
#ifndef MERGED
    serialEventRun();
#endif
  }
}
