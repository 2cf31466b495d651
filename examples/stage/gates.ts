import type { AgentEvent, GateCall } from 'durascope';
import type { Session } from 'durascope/client';
import { approve } from './approve.ts';
import type { Play } from './run-example.ts';

/** Has the gates of a session answered at the terminal, until somebody answers elsewhere. */
export class Gates {
  readonly #play: Play;
  readonly #session: Session;
  readonly #temporal: { address: string; namespace: string };
  readonly #open = new Map<string, AbortController>();

  constructor(play: Play, session: Session, temporal: { address: string; namespace: string }) {
    this.#play = play;
    this.#session = session;
    this.#temporal = temporal;
  }

  see(event: AgentEvent): void {
    if (event.kind === 'require_user_confirm') for (const call of event.calls) this.#ask(event.turnId, call);
    if (event.kind === 'gate_answered') this.#open.get(event.callId)?.abort();
  }

  #ask(turnId: string, call: GateCall): void {
    const { terminal, isAutomatic } = this.#play;
    const gate = new AbortController();
    this.#open.set(call.callId, gate);
    // Not awaited, because the answer may come from elsewhere, as an event.
    approve({
      session: this.#session,
      turnId,
      call,
      temporal: this.#temporal,
      isAutomatic,
      terminal,
      signal: gate.signal,
    }).catch((error: unknown) => terminal.line(`  The answer was not taken: ${String(error)}`));
  }
}
