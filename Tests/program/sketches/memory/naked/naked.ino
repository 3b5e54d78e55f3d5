// A handler in assembly that pushes two registers and pops one.
volatile byte ticks;

ISR(TIMER2_COMPA_vect, ISR_NAKED) {
  asm volatile(
      "push r24\n\t"
      "in r24, __SREG__\n\t"
      "push r24\n\t"
      "lds r24, ticks\n\t"
      "inc r24\n\t"
      "sts ticks, r24\n\t"
      "pop r24\n\t"
      "out __SREG__, r24\n\t"
#ifdef MENDED
      "pop r24\n\t"
#endif
      "reti");
}

void setup() {
  Serial.begin(9600);
  TCCR2A = 2;
  TCCR2B = 5;
  OCR2A = 124;
  TIMSK2 = 2;
}

void loop() {
  Serial.println(ticks);
  delay(20);
}
