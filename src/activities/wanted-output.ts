import { ApplicationFailure } from '@temporalio/activity';
import type { CallModelInput } from '../contracts/activities.ts';
import { failure } from '../contracts/failures.ts';
import { noticeMessageId, stepMessageId } from '../core/message-ids.ts';
import { outputToolName } from '../core/output-tool.ts';
import { callsOf } from '../core/pair-results.ts';
import type { Json } from '../schema/message.ts';
import type { Store } from '../store/store.ts';
import { outputTool } from '../tools/output-tool.ts';
import type { EquippedAgent } from './equip.ts';

/** The agent with the tool by which it answers in the form that the turn's submitter wants; as it is when any form will do. */
export async function withOutputTool(
  store: Store,
  agent: EquippedAgent,
  { ref, output }: Pick<CallModelInput, 'ref' | 'output'>,
): Promise<EquippedAgent> {
  if (!output) return agent;
  const [part] = (await store.blobs.get(ref, output.ref)) ?? [];
  if (part?.type !== 'text')
    throw ApplicationFailure.nonRetryable(
      `The schema ${output.ref} of the wanted output is not in the store: submit with the client, which puts it there`,
      failure.inputNotFound,
    );
  const tool = outputTool(JSON.parse(part.text) as Record<string, Json>);
  return {
    ...agent,
    tools: [...agent.tools, tool],
    toolByName: new Map([...agent.toolByName, [tool.name, tool]]),
  };
}

/** A model that answered in its own words is told that another form is needed. */
export async function remindOfOutput(
  store: Store,
  { ref, turn, step, output }: CallModelInput,
): Promise<void> {
  if (!output || step === 1) return;
  const last = await store.messages.get(ref, stepMessageId(turn, step - 1));
  if (!last || callsOf(last).length > 0) return;
  await store.messages.append(ref, [
    {
      id: noticeMessageId(turn, step, 'output'),
      turn,
      step,
      role: 'user',
      createdAt: new Date().toISOString(),
      content: [
        {
          type: 'hint',
          id: 'b0',
          source: 'output',
          text: `The user needs your answer in a certain form: give it by calling ${outputToolName}.`,
        },
      ],
    },
  ]);
}
