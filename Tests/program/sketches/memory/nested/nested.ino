// A handler that lets itself be interrupted, and takes longer than its period.
volatile byte level;

ISR(TIMER2_COMPA_vect, ISR_NOBLOCK) {
#ifdef MENDED
  for (byte step = 0; step < 10; step++) level += step;
#else
  for (byte step = 0; step < 250; step++) level += step;
#endif
}

void setup() {
  Serial.begin(9600);
  TCCR2A = 2;
  TCCR2B = 2;
  OCR2A = 99;
  TIMSK2 = 2;
}

void loop() { level = 0; }
