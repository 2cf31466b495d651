import { z } from 'zod';
import * as answers from '../schema/api-answers.ts';
import * as requests from '../schema/api-requests.ts';
import { AgentEvent, PermissionRule, Question } from '../schema/event.ts';
import { Flow, Predicate } from '../schema/flow.ts';
import { Block, InputPart, Json, Msg, Usage } from '../schema/message.ts';
import { ownerHeader } from './handle-call.ts';
import { problems } from './problem.ts';
import type { Route } from './route.ts';

type Schema = Record<string, unknown>;

/** The OpenAPI 3.1 document of the routes, from the schemas that check them. */
export function openApiDocument(routes: readonly Route[]): Schema {
  const schemas = new Components();
  const paths: Record<string, Schema> = {};
  for (const route of routes)
    paths[route.path] = { ...paths[route.path], [route.method]: operation(route, schemas) };
  return {
    openapi: '3.1.0',
    info: {
      title: 'Durascope',
      version: '1',
      description: 'Durable agents: sessions, turns, events and gates.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    security: [{ key: [] }],
    paths,
    components: {
      schemas: schemas.resolve(),
      securitySchemes: {
        key: { type: 'http', scheme: 'bearer', description: 'An API key, or a JWT of a configured issuer.' },
      },
    },
  };
}

function operation(route: Route, schemas: Components): Schema {
  const {
    name,
    summary,
    scope,
    params,
    query,
    body,
    isIdempotent,
    isStream,
    mediaType,
    status,
    answer,
    statusOf,
  } = route;
  const content = isStream
    ? // A schema here would be that of the text to some readers, and of one event to others.
      { 'text/event-stream': {} }
    : mediaType
      ? { [mediaType]: { schema: { type: 'string' } } }
      : answer && { 'application/json': { schema: schemas.of(answer) } };
  return {
    operationId: name,
    summary,
    ...(scope === 'none' ? { security: [] } : { 'x-scope': scope }),
    parameters: [
      ...parameters('path', params, schemas),
      ...parameters('query', query, schemas),
      ...(isIdempotent ? [header('Idempotency-Key', { type: 'string', minLength: 1, maxLength: 200 })] : []),
      ...(isStream ? [header('Last-Event-ID', { type: 'string', pattern: '^[0-9]{0,9}$' })] : []),
      ...(scope === 'none' ? [] : [header(ownerHeader, schemas.of(requests.Id))]),
    ],
    ...(body
      ? {
          requestBody: {
            required: true,
            content: { 'application/json': { schema: schemas.of(body) } },
          },
        }
      : {}),
    responses: {
      [status]: { description: 'Done', ...(content ? { content } : {}) },
      ...(statusOf && content ? { 503: { description: 'Something is missing', content } } : {}),
      ...refusals(route, schemas),
    },
  };
}

/** By status, so that a caller sees what to be ready for. */
function refusals({ scope, params, query, body, isStream, statusOf }: Route, schemas: Components): Schema {
  const hasInput = params !== undefined || query !== undefined || body !== undefined || isStream;
  const statuses = new Set([
    ...(hasInput ? [400] : []),
    ...(scope === 'none' ? [] : [401, 403, 404, 429]),
    ...(body ? [409, 413, 415, 422] : []),
    500,
    ...(statusOf ? [] : [503]),
  ]);
  const schema = schemas.of(answers.ProblemView);
  return Object.fromEntries(
    [...statuses].map((status) => [
      status,
      {
        description: Object.values(problems)
          .filter(([of]) => of === status)
          .map(([, title]) => title)
          .join('; '),
        content: { 'application/problem+json': { schema } },
      },
    ]),
  );
}

function parameters(where: 'path' | 'query', schema: z.ZodType | undefined, schemas: Components): Schema[] {
  if (!(schema instanceof z.ZodObject)) return [];
  return Object.entries(schema.shape as Record<string, z.ZodType>).map(([name, field]) => ({
    in: where,
    name,
    required: field._zod.optin !== 'optional',
    schema: schemas.of(field),
  }));
}

function header(name: string, schema: Schema): Schema {
  return { in: 'header', name, required: false, schema };
}

/** Schemas that are shown once, by name. */
const named = {
  AgentEvent,
  Block,
  Flow,
  InputPart,
  Json,
  Msg,
  PermissionRule,
  Predicate,
  Question,
  Usage,
  ...requests,
  ...answers,
};

/** Schemas of the document: those that are named are referred to, the rest stand where they are used. */
class Components {
  readonly #asked: { schema: z.ZodType; place: Schema }[] = [];

  /** Filled in by `resolve`: all schemas are converted together, so that what they share is one. */
  of(schema: z.ZodType): Schema {
    const place: Schema = {};
    this.#asked.push({ schema, place });
    return place;
  }

  /** The named ones. */
  resolve(): Record<string, Schema> {
    const registry = z.registry<{ id: string }>();
    for (const [id, schema] of Object.entries(named)) registry.add(schema, { id });
    const shape = Object.fromEntries(this.#asked.map(({ schema }, index) => [`s${index}`, schema]));
    // As written by the caller: what is answered has no other form, and readers must let pass what is added to it.
    const json = z.toJSONSchema(z.object(shape), { metadata: registry, io: 'input' });
    const text = JSON.stringify(json).replaceAll('"#/$defs/', '"#/components/schemas/');
    const { properties, $defs } = JSON.parse(text) as { properties: Schema; $defs: Record<string, Schema> };
    for (const [index, { place }] of this.#asked.entries()) Object.assign(place, properties[`s${index}`]);
    for (const definition of Object.values($defs)) delete definition['id'];
    return $defs;
  }
}
