import { styleText } from 'node:util';
import type { AgentEvent } from 'durascope';
import type { Terminal } from '../stage/terminal.ts';

/** Renders what the leader's log tells: its own turns, and what it has to know of its workers'. */
export function showEvent(terminal: Terminal, event: AgentEvent): void {
  const line = (text: string) => terminal.line(`${placeOf(event)} ${text}`);
  switch (event.kind) {
    case 'turn_start':
      line(styleText('dim', 'begins a turn'));
      return;
    case 'text_start':
      terminal.line();
      terminal.stream(`${placeOf(event)} `);
      return;
    case 'text_delta':
      terminal.stream(event.delta);
      return;
    case 'tool_result_end': {
      const mark = event.state === 'success' ? styleText('green', '✓') : styleText('red', '✗');
      line(`${mark} ${styleText('dim', resultText(event))}`);
      return;
    }
    case 'team_changed':
      line(event.member ? `${event.member.name}, a ${event.member.agent}, joins` : `team ${event.change}`);
      return;
    case 'team_message':
      if (!event.path) line(`hears from ${styleText('magenta', event.from)}: ${event.text}`);
      return;
    case 'gate_answered':
      line(`${event.answer} by ${event.actor ?? 'a signal'}`);
      return;
    case 'error':
      line(styleText('red', `${event.message}${event.retryable ? ' (tried again)' : ''}`));
      return;
    case 'turn_end':
      line(styleText('dim', `ends its turn: ${event.finishReason}`));
      return;
    default:
  }
}

function placeOf({ path = [] }: AgentEvent): string {
  const name = ['editor', ...path].join(' › ');
  return styleText(path.length === 0 ? 'bold' : 'cyan', `${name} │`);
}

function resultText({ message }: Extract<AgentEvent, { kind: 'tool_result_end' }>): string {
  const result = message.content.find((block) => block.type === 'tool_result');
  return (result?.content ?? []).map((part) => (part.type === 'text' ? part.text : part.mediaType)).join(' ');
}
