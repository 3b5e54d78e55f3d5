// What /events?as=dashboard sends. docs/guide/dashboard.md describes it.

interface Sender {
  client: number;
  from: string | null;
  name: string | null;
}

interface Command {
  time: number;
  text: string;
  outcome: string;
  standing: "obeyed" | "sent" | "pending" | "misunderstood" | "lost";
}

interface Refusal {
  number: number;
  time: number;
  bytes: string;
  reason: string;
  text: string;
  from: Sender | null;
}

interface Recording {
  file: string;
  part: number;
  bytes: number;
  lost_events: number;
  failure: string | null;
}

interface State {
  time: number;
  accepts: "aims" | "profile" | "bytes";
  pins: import("../common/board.js").BoardPin[];
  inputs: import("../common/board.js").BoardInput[] | null;
  forms: import("../common/board.js").Form[] | null;
  unanswered: string | null;
  serial: {
    from: number;
    entries: import("../common/monitor.js").Entry[];
  };
  device: {
    name: string;
    firmware: string;
    profile: string | null;
    baud: number;
    sender_baud: number;
    program: string | null;
  };
  servos: import("../common/dials.js").Servo[];
  sketch: string | null;
  tone: number | null;
  bytes: {
    received: number;
    on_line: number;
    in_ring: number | null;
    lost: number;
    from_board: number;
  };
  commands_taken: number | null;
  commands: Command[];
  board: { there: boolean; problem: string | null };
  control: Sender | null;
  policy: "first" | "latest";
  clients: { senders: number; watchers: number };
  waiting: number;
  sent: number;
  delay: number | null;
  recording: Recording | null;
  refused: number;
  refusals: Refusal[];
  history: [number, number, string | null][];
}
