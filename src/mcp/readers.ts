import {
  GetPromptResultSchema,
  ListPromptsResultSchema,
  ListResourcesResultSchema,
  ListResourceTemplatesResultSchema,
  ReadResourceResultSchema,
} from '@modelcontextprotocol/sdk/types.js';
import { z } from 'zod';
import { compileSchema } from '../tools/tool-schema.ts';
import { issueTexts } from '../tools/schema-issues.ts';
import { text } from '../tools/tool-parts.ts';
import type { Tool, ToolContext } from '../tools/tool.ts';
import type { Catalog } from './catalog.ts';
import type { Connection } from './connection.ts';
import { contentsToPart, toToolParts } from './content.ts';
import type { Link } from './link.ts';
import { McpServerError } from './mcp-error.ts';
import { isToolTaken } from './server.ts';
import { stateNote } from './server-state.ts';
import { fromTraits, withNote } from './to-tool.ts';
import { mcpToolName } from './tool-names.ts';

interface Reader<Input> {
  /** As the server would name a tool of its own, which then comes first. */
  name: string;
  description: string;
  input: z.ZodType<Input>;
  read: (connection: Connection, input: Input, context: ToolContext, clean: Clean) => Promise<unknown>;
}

type Clean = (text: string) => string;

const cursor = z.string().optional().describe('The nextCursor of the page before');
const paged = z.object({ cursor });

const resourceReaders = [
  reader({
    name: 'list_resources',
    description: 'List the resources of the server, and templates for the addresses of more',
    input: paged,
    read: async (connection, { cursor }, { signal }) => {
      const params = cursor === undefined ? {} : { cursor };
      const page = await connection.request({ method: 'resources/list', params }, ListResourcesResultSchema, {
        signal,
      });
      const templates =
        cursor === undefined
          ? await connection
              .request(
                { method: 'resources/templates/list', params: {} },
                ListResourceTemplatesResultSchema,
                {
                  signal,
                },
              )
              .catch(() => ({ resourceTemplates: [] }))
          : { resourceTemplates: [] };
      return {
        resources: page.resources.map(({ uri, name, description, mimeType }) => ({
          uri,
          name,
          description,
          mimeType,
        })),
        templates: templates.resourceTemplates.map(({ uriTemplate, name, description }) => ({
          uriTemplate,
          name,
          description,
        })),
        nextCursor: page.nextCursor,
      };
    },
  }),
  reader({
    name: 'read_resource',
    description: 'Read a resource of the server by its address',
    input: z.object({ uri: z.string().min(1).describe('As list_resources or a result names it') }),
    read: async (connection, { uri }, { signal }, clean) => {
      const params = { uri };
      const { contents } = await connection.request(
        { method: 'resources/read', params },
        ReadResourceResultSchema,
        { signal },
      );
      return contents.length === 0 ? 'It is empty.' : contents.map((item) => contentsToPart(item, clean));
    },
  }),
];

const promptReaders = [
  reader({
    name: 'list_prompts',
    description: 'List the prompts that the server has ready, with their arguments',
    input: paged,
    read: async (connection, { cursor }, { signal }) => {
      const params = cursor === undefined ? {} : { cursor };
      const page = await connection.request({ method: 'prompts/list', params }, ListPromptsResultSchema, {
        signal,
      });
      const prompts = page.prompts.map(({ name, description, arguments: args }) => ({
        name,
        description,
        arguments: args,
      }));
      return { prompts, nextCursor: page.nextCursor };
    },
  }),
  reader({
    name: 'get_prompt',
    description: 'Get a prompt of the server, filled in',
    input: z.object({
      name: z.string().min(1).describe('As list_prompts names it'),
      arguments: z.record(z.string(), z.string()).optional(),
    }),
    read: async (connection, { name, arguments: args }, { signal }, clean) => {
      const params = { name, ...(args ? { arguments: args } : {}) };
      const { messages } = await connection.request(
        { method: 'prompts/get', params },
        GetPromptResultSchema,
        {
          signal,
        },
      );
      return messages.flatMap(({ role, content }) => [
        text(`${role}:`),
        ...toToolParts([content], undefined, clean),
      ]);
    },
  }),
];

/** Tools with which a model reads what a server has besides tools. */
export function readersOf(link: Link, { tools, hasResources, hasPrompts }: Catalog): Tool[] {
  const readers = [...(hasResources ? resourceReaders : []), ...(hasPrompts ? promptReaders : [])];
  const isOwn = (name: string) => tools.some((tool) => tool.name === name);
  return readers
    .filter(({ name }) => isToolTaken(link.server, name) && !isOwn(name))
    .map((make) => make.toTool(link));
}

function reader<Input>(definition: Reader<Input>) {
  const { name, description, input, read } = definition;
  const schema = compileSchema(`MCP reader "${name}"`, input);
  return {
    name,
    toTool(link: Link): Tool {
      const { server } = link;
      const clean: Clean = (said) => link.secrets.scrub(said);
      return fromTraits(server, {
        name: mcpToolName(server.name, name),
        description: `${description} (${server.name})`,
        parameters: schema.parameters,
        validate: async (args) => {
          const checked = await schema.check(args);
          return checked.ok ? checked : { ok: false, issues: issueTexts(checked.issues) };
        },
        isReadOnly: server.isTrusted,
        // Reading again is reading, whoever the server is.
        isIdempotent: true,
        isDestructive: false,
        async execute(given, context) {
          try {
            return await link.use(async (connection) => {
              const note = await stateNote(link, context);
              const result = await read(connection, given as Input, context, clean);
              return Array.isArray(result) ? withNote(result, note) : cleanJson(result, clean);
            });
          } catch (error) {
            if (error instanceof McpServerError) throw new Error(error.message, { cause: error });
            throw error;
          }
        },
      });
    },
  };
}

function cleanJson(value: unknown, clean: Clean): unknown {
  return typeof value === 'string' ? clean(value) : (JSON.parse(clean(JSON.stringify(value))) as unknown);
}
