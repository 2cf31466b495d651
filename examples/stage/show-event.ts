import { styleText } from 'node:util';
import type { AgentEvent } from 'durascope';
import type { Terminal } from './terminal.ts';

/** Renders a turn's events as they come. */
export function eventPrinter(terminal: Terminal): (event: AgentEvent) => void {
  const names = new Map<string, string>();
  const args = new Map<string, string>();
  const nameOf = (callId: string): string => names.get(callId) ?? callId;

  return (event) => {
    switch (event.kind) {
      case 'model_call_start': {
        const again = event.attempt > 1 ? ', again: what it had streamed before does not count' : '';
        terminal.line(styleText('dim', `step ${event.step} · ${event.model}${again}`));
        return;
      }
      case 'text_start':
        terminal.line();
        terminal.stream('  ');
        return;
      case 'text_delta':
        terminal.stream(event.delta);
        return;
      case 'tool_call_start':
        names.set(event.callId, event.name);
        args.set(event.callId, '');
        return;
      case 'tool_call_delta':
        args.set(event.callId, (args.get(event.callId) ?? '') + event.delta);
        return;
      case 'tool_call_end':
        terminal.line(`  ${styleText('cyan', '→')} ${nameOf(event.callId)} ${args.get(event.callId)}`);
        return;
      case 'tool_result_start':
        if (event.attempt > 1)
          terminal.line(`  ${styleText('cyan', '↻')} ${event.name}, attempt ${event.attempt}`);
        return;
      case 'tool_result_delta':
        if (event.progress?.message)
          terminal.line(styleText('dim', `    ${nameOf(event.callId)}: ${event.progress.message}`));
        return;
      case 'tool_result_end': {
        const mark = event.state === 'success' ? styleText('green', '✓') : styleText('red', '✗');
        terminal.line(`  ${mark} ${nameOf(event.callId)} ${styleText('dim', resultText(event))}`);
        return;
      }
      case 'gate_answered':
        terminal.line(`  ${nameOf(event.callId)}: ${event.answer} by ${event.actor ?? 'a signal'}`);
        return;
      case 'error':
        terminal.line(styleText('red', `  ${event.message}${event.retryable ? ' (tried again)' : ''}`));
        return;
      case 'turn_end':
        terminal.line(styleText('dim', `turn ended: ${event.finishReason}`));
        return;
      default:
    }
  };
}

function resultText({ message }: Extract<AgentEvent, { kind: 'tool_result_end' }>): string {
  const result = message.content.find((block) => block.type === 'tool_result');
  return (result?.content ?? []).map((part) => (part.type === 'text' ? part.text : part.mediaType)).join(' ');
}
