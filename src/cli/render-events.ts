import { assertNever } from '../core/assert-never.ts';
import type { AgentEvent, GateCall } from '../schema/event.ts';
import type { Msg, ToolResultState } from '../schema/message.ts';
import { blockText, oneLine, printable, usageText, type Style } from './text.ts';

/** What stands on the screen, as far as the next event needs to know. Made by `emptyView`, replaced by `renderEvent`. */
export interface View {
  /** What the cursor's line holds so far. */
  line: 'empty' | 'text' | 'thinking';
  /** The model message in the making has shown something. */
  hasPartial: boolean;
  calls: ReadonlyMap<string, { label: string; arguments: string }>;
  /** The last error that was shown: those who pass it on say the same. */
  error: string | undefined;
}

export interface RenderOptions extends Style {
  /** Print user messages too. Not for those who have just typed them. */
  showsInputs?: boolean;
}

export const emptyView: View = { line: 'empty', hasPartial: false, calls: new Map(), error: undefined };

/** What to write for the event after all before it, and the view that results. Pure. */
export function renderEvent(view: View, event: AgentEvent, options: RenderOptions): [View, string] {
  const { colors, width } = options;
  const whole = (...lines: string[]): [View, string] => [
    { ...view, line: 'empty' },
    ended(view) + lines.map((line) => `${line}\n`).join(''),
  ];
  switch (event.kind) {
    case 'input':
      return options.showsInputs
        ? whole(...textOf(event.message).map((line) => colors.cyan(`> ${line}`)))
        : [view, ''];
    case 'hint':
      // The message of a team is told by an event of its own.
      if (
        event.message.content.some((block) => block.type === 'hint' && block.source === 'team' && block.from)
      )
        return [view, ''];
      return whole(...textOf(event.message).map((line) => colors.dim(`note: ${oneLine(line, width)}`)));

    case 'model_call_start': {
      const next: View = { ...view, hasPartial: false, line: 'empty' };
      if (event.attempt === 1) return [next, ended(view)];
      const superseded = view.hasPartial ? ': it replaces what stands above' : '';
      return [next, `${ended(view)}${colors.yellow(`attempt ${event.attempt}${superseded} …`)}\n`];
    }
    case 'text_delta':
      return streamed(view, 'text', printable(event.delta));
    case 'thinking_delta':
      return streamed(view, 'thinking', colors.dim(printable(event.delta)));
    case 'data_start':
      return whole(
        colors.dim(`[${printable(event.mediaType)}${event.name ? ` ${printable(event.name)}` : ''}]`),
      );
    case 'text_end':
    case 'thinking_end':
      return whole();

    case 'tool_call_start':
      return [opened(view, event.callId, printable(event.name)), ''];
    case 'tool_call_delta':
      return [withArguments(view, event.callId, event.delta), ''];
    case 'tool_call_end': {
      const call = view.calls.get(event.callId);
      const [after, text] = whole(
        `${colors.cyan('→')} ${colors.bold(call?.label ?? '')} ${oneLine(call?.arguments ?? '', width)}`,
      );
      return [{ ...after, hasPartial: true }, text];
    }

    case 'tool_result_start':
      return event.attempt === 1
        ? [view, '']
        : whole(colors.yellow(`  ↻ ${labelOf(view, event.callId, event.name)}: attempt ${event.attempt}`));
    case 'tool_result_delta': {
      const { progress } = event;
      if (!progress) return [view, ''];
      const percent = progress.fraction === undefined ? [] : [`${Math.round(progress.fraction * 100)}%`];
      const words = [...percent, ...(progress.message === undefined ? [] : [progress.message])].join(' ');
      return whole(colors.dim(`  … ${labelOf(view, event.callId, '')}: ${oneLine(words, width)}`));
    }
    case 'tool_result_end': {
      const [block] = event.message.content;
      const name = block?.type === 'tool_result' ? block.name : '';
      const said = textOf(event.message).join(' ');
      const line = `${labelOf(view, event.callId, name)}: ${oneLine(said, width)}`;
      return whole(`  ${markOf(event.state, options)} ${line}`);
    }

    case 'require_user_confirm':
      return whole(...event.calls.map((call) => gateLine(view, call, 'waits for approval', options)));
    case 'require_external_execution':
      return whole(...event.calls.map((call) => gateLine(view, call, 'waits for its system', options)));
    case 'require_reconciliation':
      return whole(
        ...event.calls.map((call) => gateLine(view, call, 'may have happened: reconcile it', options)),
      );
    case 'gate_answered': {
      const by = event.actor === undefined ? '' : ` by ${printable(event.actor)}`;
      const why = event.reason === undefined ? '' : `: ${oneLine(event.reason, width)}`;
      const more = event.answer === 'vote' ? ': others must allow it too' : '';
      const what = `${labelOf(view, event.callId, event.callId)} ${answers[event.answer]}`;
      return whole(colors.dim(`  ${what}${by}${why}${more}`));
    }
    case 'gate_overdue': {
      const what = event.escalated ? 'was escalated: nobody answered in time' : 'is overdue';
      return whole(colors.yellow(`  ${labelOf(view, event.callId, event.callId)} ${what}`));
    }
    case 'all_tools_denied':
      return whole(colors.dim('  every call was denied'));

    case 'interrupted':
      return whole(colors.yellow(`interrupted: ${oneLine(event.reason, width)}`));
    case 'compaction':
      return whole(colors.dim(`context shortened: ${event.droppedMessages} messages left out`));
    case 'team_message':
      return whole(`${colors.magenta(printable(event.from))}: ${oneLine(event.text, width)}`);
    case 'team_changed': {
      const { member } = event;
      const what = member
        ? `${printable(member.name)} (${printable(member.agent)}) ${event.change === 'member_removed' ? 'left' : 'joined'}`
        : event.change;
      return whole(colors.dim(`  team ${oneLine(event.team, width)}: ${what}`));
    }
    case 'background_task': {
      const what =
        event.state === 'running' ? 'goes on in the background' : `in the background: ${event.state}`;
      return whole(colors.dim(`  ${labelOf(view, event.callId, event.name)} ${what}`));
    }
    case 'task_changed': {
      const { change, task } = event;
      const what = change === 'updated' ? task.state.replace('_', ' ') : change;
      return whole(colors.dim(`  task ${task.id} ${what}: ${oneLine(task.subject, width)}`));
    }
    case 'error': {
      if (event.message === view.error) return [view, ''];
      const attempt = event.attempt === undefined ? '' : ` (attempt ${event.attempt})`;
      const message = printable(event.message);
      const [after, text] = event.retryable
        ? whole(colors.yellow(`! ${message}${attempt}, trying again`))
        : whole(colors.red(`✗ ${message} [${event.code}]`));
      return [event.retryable ? after : { ...after, error: event.message }, text];
    }
    case 'turn_end': {
      const error = event.error?.message === view.error ? undefined : event.error;
      const failure = error && colors.red(`✗ ${printable(error.message)} [${error.code}]`);
      const closing = colors.dim(`— ${event.finishReason} · ${usageText(event.usage)}`);
      const [, text] = whole(...(failure ? [failure] : []), closing);
      return [emptyView, text];
    }
    case 'turn_start':
    case 'run_start':
    case 'run_end':
    case 'model_call_end':
    case 'text_start':
    case 'thinking_start':
    case 'data_delta':
    case 'data_end':
      return [view, ''];
    default:
      return assertNever(event);
  }
}

const answers = {
  allow: 'allowed',
  deny: 'denied',
  vote: 'allowed',
  answer: 'answered',
  external_result: 'answered',
  happened: 'found to have happened',
  did_not_happen: 'found not to have happened',
  void: 'asks something else: the answer before counts for nothing',
} as const;

function streamed(view: View, line: 'text' | 'thinking', text: string): [View, string] {
  if (text === '') return [view, ''];
  const start = view.line === line || view.line === 'empty' ? '' : '\n';
  return [{ ...view, line, hasPartial: true }, start + text];
}

function ended(view: View): string {
  return view.line === 'empty' ? '' : '\n';
}

/** Calls of one name within a turn are told apart by a number. */
function opened(view: View, callId: string, name: string): View {
  const calls = new Map(view.calls);
  calls.delete(callId);
  const namesakes = [...calls.values()].filter(({ label }) => label.replace(/#\d+$/, '') === name).length;
  calls.set(callId, { label: namesakes === 0 ? name : `${name}#${namesakes + 1}`, arguments: '' });
  return { ...view, calls };
}

function withArguments(view: View, callId: string, delta: string): View {
  const call = view.calls.get(callId);
  if (!call) return view;
  const calls = new Map(view.calls).set(callId, { ...call, arguments: call.arguments + delta });
  return { ...view, calls };
}

function labelOf(view: View, callId: string, fallback: string): string {
  return view.calls.get(callId)?.label ?? printable(fallback);
}

function gateLine(view: View, call: GateCall, what: string, { colors, width }: Style): string {
  const { callId, name, reason, question, isSafety } = call;
  const line = (text: string) =>
    `${colors.yellow('?')} ${labelOf(view, callId, name)} ${text} ${colors.dim(callId)}`;
  if (question) {
    const options = question.options?.map(({ label }) => label).join(', ');
    const choice = options === undefined ? '' : ` [${oneLine(options, width)}]`;
    return line(
      `asks${question.isSecret ? ' for a secret' : ''}: ${oneLine(question.question, width)}${choice}`,
    );
  }
  const why = reason === undefined ? '' : `: ${oneLine(reason, width)}`;
  return line(`${what}${why}${isSafety ? ' (for safety asked each time)' : ''}`);
}

function markOf(state: ToolResultState, { colors }: Style): string {
  switch (state) {
    case 'success':
      return colors.green('✓');
    case 'error':
      return colors.red('✗');
    case 'denied':
      return colors.yellow('✗ denied');
    case 'interrupted':
      return colors.yellow('✗ interrupted');
    default:
      return assertNever(state);
  }
}

function textOf(message: Msg): string[] {
  return message.content.map(blockText).filter((text) => text !== '');
}
