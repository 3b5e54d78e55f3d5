// The types that the page's modules exchange.

type Standing = "off" | "connecting" | "open" | "away" | "refused" | "no-detector";

/** The answer to a picture that was sent to /detect. */
interface PictureAnswer {
  seq: number;
  found?: unknown[];
  image?: [number, number];
  replaced_by?: number;
  error?: string;
}

/** What was found in a picture. */
interface Finding {
  /** As in a frame of observations: docs/observations.md. */
  found: unknown[];
  /** The size of the picture that was searched, in pixels. */
  image: [number, number];
  /** When the camera took it, as performance.now() counts. */
  time: number;
  mirrored: boolean;
}

interface Mark {
  /** x, y, width and height in points, from the upper left. */
  box: [number, number, number, number];
  kind: string;
  label: string | null;
  confidence: number;
  /** Their names with points in the view, from the upper left. */
  landmarks?: Record<string, [number, number][]>;
}

interface Sighting {
  command: string | null;
  degrees: number | null;
  title: string;
  description: string;
  target: Mark | null;
  others: Mark[];
}

/** The state of the connection. */
interface Status {
  standing: Standing;
  elsewhere: boolean;
  detector: boolean;
  why: string;
}

/** An answer of Sources/Pages/PhoneAim.swift. */
interface PhoneAnswer {
  sighting: Sighting | null;
  actions: ["connect" | "send" | "close", string][];
  /** In milliseconds. */
  wait: number | null;
  room: boolean;
  status: Status;
}

/** https://wicg.github.io/shape-detection-api/ */
interface DetectedFace {
  boundingBox: DOMRectReadOnly;
}

declare class FaceDetector {
  constructor(options?: { fastMode?: boolean; maxDetectedFaces?: number });
  detect(image: CanvasImageSource): Promise<DetectedFace[]>;
}

interface Window {
  FaceDetector?: typeof FaceDetector;
}

interface VideoFrameCallbackMetadata {
  captureTime?: number;
}

/** https://w3c.github.io/screen-wake-lock/, which Debian's TypeScript does not declare. */
interface WakeLockSentinel extends EventTarget {
  readonly released: boolean;
  release(): Promise<void>;
}

interface WakeLock {
  request(type?: "screen"): Promise<WakeLockSentinel>;
}

interface Navigator {
  readonly wakeLock: WakeLock;
}
