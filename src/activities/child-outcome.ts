import type { ChildTurn, TurnOutcome } from '../contracts/inputs.ts';
import { isOutput } from '../core/output-tool.ts';
import type { Store } from '../store/store.ts';
import type { Subagent } from '../tools/subagent.ts';
import { errorOutcome } from '../tools/tool-errors.ts';
import type { ToolOutcome, ToolPart } from '../tools/tool.ts';
import { answerParts } from './compose-input.ts';
import { textOutcome } from './result-message.ts';

interface Ended {
  /** Of the tool. */
  name: string;
  child: ChildTurn;
  result: TurnOutcome;
  /** The caller's turn ends. */
  isStopping: boolean;
  /** Absent when the tool is gone. */
  subagent: Subagent | undefined;
}

/** What a turn below came to, as the result of the call that asked for it. A failure there is an error that the caller's model reads. */
export async function childOutcome(store: Store, ended: Ended): Promise<ToolOutcome> {
  const { name, child, result, isStopping } = ended;
  const { finishReason, reason = 'no reason was given' } = result;
  switch (finishReason) {
    case 'error':
      return errorOutcome(`${name} failed: ${result.error?.message ?? 'it is not known why'}`);
    case 'interrupted':
      return isStopping
        ? textOutcome('interrupted', `Interrupted while ${name} worked.`)
        : errorOutcome(`${name} was interrupted: ${reason}`);
    case 'structured_output':
      return structured(store, ended);
    default: {
      const parts = await replyParts(store, child, result.replyMessageId);
      return withRemark(parts, ended);
    }
  }
}

function withRemark(parts: ToolPart[], { name, child, result }: Ended): ToolOutcome {
  switch (result.finishReason) {
    case 'budget_exceeded':
      return errorOutcome(
        [`${name} was stopped at its limit of ${child.maxTokens ?? 0} tokens.`, ...textsOf(parts)].join('\n'),
      );
    case 'max_iterations':
      return {
        state: 'success',
        parts: [{ type: 'text', text: `${name} reached its limit of steps. What it has:` }, ...parts],
      };
    default:
      if (parts.length > 0) return { state: 'success', parts };
      return errorOutcome(`${name} ended without an answer (${result.finishReason}).`);
  }
}

async function replyParts(store: Store, { ref }: ChildTurn, id: string | undefined): Promise<ToolPart[]> {
  const message = id === undefined ? undefined : await store.messages.get(ref, id);
  return answerParts(message?.content ?? []).map((part): ToolPart => {
    if (part.type === 'text') return part;
    const { name, ...rest } = part;
    return name === undefined ? rest : { ...rest, name };
  });
}

function textsOf(parts: readonly ToolPart[]): string[] {
  return parts.flatMap((part) => (part.type === 'text' ? part.text : []));
}

/** JSON as the schema reads it: what it fills in or changes is in it. */
async function structured(store: Store, { name, child, subagent }: Ended): Promise<ToolOutcome> {
  const calls = await store.calls.ofTurn(child.ref, child.turn);
  const written: unknown = JSON.parse(calls.find(isOutput)?.arguments ?? 'null');
  const checked = await subagent?.output?.check(written);
  if (checked?.ok === false) {
    const issues = checked.issues.map(({ text }) => text).join('; ');
    return errorOutcome(`${name} answered in a form that does not fit: ${issues}`);
  }
  return textOutcome('success', JSON.stringify(checked?.value ?? written));
}
