// @ts-check
// The buzzer: a square wave, as on the pin.

export class Buzzer {
  constructor() {
    /** @type {AudioContext | null} */
    this.context = null;
    /** @type {OscillatorNode | null} */
    this.wave = null;
    this.isOn = false;
  }

  /** Switches the sound on or off. Call it on a click: browsers require one before any sound. */
  toggle() {
    this.isOn = !this.isOn;
    if (this.isOn && !this.context) {
      this.context = new AudioContext();
      this.gain = this.context.createGain();
      this.gain.gain.value = 0.05;
      this.gain.connect(this.context.destination);
    }
    if (!this.isOn) this.sound(null);
    return this.isOn;
  }

  /** @param {number | null} hertz */
  sound(hertz) {
    if (hertz === null || !this.isOn || !this.context || !this.gain) {
      this.wave?.stop();
      this.wave = null;
      return;
    }
    if (this.wave) {
      if (this.wave.frequency.value !== hertz) this.wave.frequency.value = hertz;
      return;
    }
    this.wave = new OscillatorNode(this.context, { type: 'square', frequency: hertz });
    this.wave.connect(this.gain);
    this.wave.start();
  }
}
