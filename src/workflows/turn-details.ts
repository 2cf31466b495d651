// What a person reads of a turn in Temporal Web, as Markdown. Workflow code: imports core and contracts only.
import type { TurnCall } from '../contracts/inputs.ts';
import type { NextAction } from '../core/next-action.ts';
import type { TurnState } from './turn-state.ts';

export function describeTurn(turn: TurnState, action: NextAction<TurnCall>): string {
  const { step, maxIterations, run, steers, preview, usage } = turn.view;
  const lines = [
    `**${stateOf(action)}** · step ${step} of ${maxIterations} · run ${run}`,
    '',
    `${usage.inputTokens} tokens in, ${usage.outputTokens} out`,
  ];
  if (action.kind === 'wait') {
    lines.push('', '| waits for | tool | call | why |', '|---|---|---|---|');
    for (const call of action.waiting)
      lines.push(
        `| ${waitsFor[call.state] ?? call.state} | ${call.name} | \`${call.callId}\` | ${cell(call.reason)} |`,
      );
  }
  if (steers.length > 0) lines.push('', `${steers.length} message(s) wait for the next model call`);
  if (preview !== '') lines.push('', `> ${preview.replaceAll('\n', '\n> ')}`);
  return lines.join('\n');
}

const waitsFor: Partial<Record<TurnCall['state'], string>> = {
  asking: 'a confirmation',
  submitted: 'an external result',
  uncertain: 'a reconciliation',
};

function stateOf(action: NextAction<TurnCall>): string {
  switch (action.kind) {
    case 'reason':
      return 'calling the model';
    case 'summarize':
      return 'summarizing at the iteration limit';
    case 'act':
      return `running ${action.calls.map((call) => call.name).join(', ')}`;
    case 'wait':
      return 'waiting';
    default:
      return `ended: ${action.reason}`;
  }
}

function cell(text = ''): string {
  return text.replaceAll('|', '\\|').replaceAll('\n', ' ');
}
