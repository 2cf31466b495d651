import { createHash } from 'node:crypto';
import { z } from 'zod';
import { PipelineList, PipelineStarted, PipelineView } from '../../schema/api-answers.ts';
import { Id, StartPipeline } from '../../schema/api-requests.ts';
import type { Flow } from '../../schema/flow.ts';
import type { Pipeline, Pipelines } from '../../client/pipelines.ts';
import { assertNever } from '../../core/assert-never.ts';
import { actorOf } from '../actor.ts';
import { Problem } from '../problem.ts';
import { defineRoute, type RouteContext } from '../route.ts';
import { mustBeAgent } from './sessions.ts';

const most = 200;
const ofPipeline = z.object({ pipelineId: Id });

const startPipeline = defineRoute({
  name: 'startPipeline',
  method: 'post',
  path: '/v1/pipelines',
  summary:
    'Start work of several agents that is data. A repeat with the same id, or the same Idempotency-Key, answers the same one',
  scope: 'run',
  body: StartPipeline,
  isIdempotent: true,
  status: 201,
  answer: PipelineStarted,
  async handle(call, context) {
    const { owner, body, idempotencyKey } = call;
    const { id: named, flow, input } = body;
    for (const agent of agentsOf(flow)) mustBeAgent(agent, context);
    const id = named ?? (idempotencyKey === undefined ? undefined : idOf(owner, idempotencyKey));
    const pipelines = pipelinesOf(context);
    await context.limits.takeTurn(owner).catch(async (refusal: unknown) => {
      // A repeat starts nothing.
      if (id === undefined || !(await isThere(pipelines.get(owner, id)))) throw refusal;
    });
    const pipeline = await pipelines.start({
      owner,
      flow,
      input,
      actor: actorOf(call).id,
      ...(id === undefined ? {} : { id }),
    });
    return { id: pipeline.id };
  },
});

const listPipelines = defineRoute({
  name: 'listPipelines',
  method: 'get',
  path: '/v1/pipelines',
  summary: 'The first 200 pipelines, newest first',
  scope: 'read',
  status: 200,
  answer: PipelineList,
  async handle({ owner }, context) {
    const items: z.input<typeof PipelineList>['items'] = [];
    for await (const pipeline of pipelinesOf(context).list(owner)) {
      if (items.length === most) return { items, isWhole: false };
      items.push(pipeline);
    }
    return { items, isWhole: true };
  },
});

const getPipeline = defineRoute({
  name: 'getPipeline',
  method: 'get',
  path: '/v1/pipelines/{pipelineId}',
  summary: 'How a pipeline is, and what it came to',
  scope: 'read',
  params: ofPipeline,
  status: 200,
  answer: PipelineView,
  async handle({ owner, params }, context) {
    const pipeline = pipelinesOf(context).get(owner, params.pipelineId);
    const status = await pipeline.status();
    return { id: pipeline.id, ...(status.state === 'running' ? status : await pipeline.result()) };
  },
});

const cancelPipeline = defineRoute({
  name: 'cancelPipeline',
  method: 'post',
  path: '/v1/pipelines/{pipelineId}/cancel',
  summary: 'Interrupt the turns of a pipeline, and end it; one that has ended is left as it is',
  scope: 'run',
  params: ofPipeline,
  status: 204,
  async handle({ owner, params }, context) {
    const pipeline = pipelinesOf(context).get(owner, params.pipelineId);
    if ((await pipeline.status()).state === 'running') await pipeline.cancel();
    return undefined;
  },
});

export const pipelineRoutes = [startPipeline, listPipelines, getPipeline, cancelPipeline];

function pipelinesOf({ pipelines }: RouteContext): Pipelines {
  if (!pipelines) throw new Problem('not_found', 'This server has no pipelines');
  return pipelines;
}

async function isThere(pipeline: Pipeline): Promise<boolean> {
  return pipeline.status().then(
    () => true,
    () => false,
  );
}

function idOf(owner: string, idempotencyKey: string): string {
  const digest = createHash('sha256').update(`${owner}\n${idempotencyKey}`).digest('hex');
  return `k-${digest.slice(0, 32)}`;
}

/** Names of the agents that take turns in it. */
function agentsOf(flow: Flow): string[] {
  switch (flow.kind) {
    case 'turn':
      return [flow.agent];
    case 'hub':
      return flow.members.map((member) => member.agent);
    case 'pipeline':
      return flow.steps.flatMap(agentsOf);
    case 'parallel':
      return flow.branches.flatMap((branch) => agentsOf(branch.flow));
    case 'branch':
      return [flow.do, ...(flow.otherwise ? [flow.otherwise] : [])].flatMap(agentsOf);
    case 'loop':
    case 'fan_out':
      return agentsOf(flow.body);
    default:
      return assertNever(flow);
  }
}
