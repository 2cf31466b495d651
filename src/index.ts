export type { Agent, Instructions, InstructionsContext, ToolChoicePolicy } from './agents/agent.ts';
export { agentTool, type AgentToolOptions } from './agents/agent-tool.ts';
export { defineAgent, type AgentOptions } from './agents/define-agent.ts';
export type { SubagentTemplate, TeamOptions } from './agents/team-options.ts';
export type { ToolGroup, ToolGroups } from './agents/tool-group.ts';
export { defineConfig, type Config } from './agents/define-config.ts';
export { foldEvent, foldEvents, type Folded } from './core/fold-events.ts';
export type { Actor, ApprovalPolicy, GateDeadline } from './core/approval.ts';
export type {
  PermissionBehavior,
  PermissionDecision,
  PermissionMode,
  PermissionRule,
  RuleSource,
} from './core/permission.ts';
export { formatRule, parseRule } from './core/permission-rule.ts';
export type { ModelCapabilities, ModelSettings, ModelTimeouts, ToolChoice } from './model/model.ts';
export type {
  AgentPermissionOptions,
  ConfigSettings,
  ModelProviderConfig,
  TemporalConfig,
} from './schema/agent.ts';
export type { AgentEvent, EventBody, EventKind, GateCall, Question } from './schema/event.ts';
export type {
  Block,
  DataBlock,
  DataSource,
  FinishReason,
  HintBlock,
  InputPart,
  Json,
  ModelFinishReason,
  Msg,
  ResultContent,
  Role,
  TextBlock,
  ThinkingBlock,
  ToolCallBlock,
  ToolResultBlock,
  ToolResultState,
  Usage,
} from './schema/message.ts';
export { defineMcpServer } from './mcp/define-mcp-server.ts';
export { mcpServer, type McpSource } from './mcp/mcp-source.ts';
export type { McpOAuth, McpServer, McpServerOptions, SamplingLimits } from './mcp/server.ts';
export { loadSkill, loadSkills, type Skill } from './skills/load-skill.ts';
export { skills } from './skills/skill-source.ts';
export { askUser } from './tools/ask-user.ts';
export { DefinitionError } from './tools/definition-error.ts';
export { OutcomeUnknownError } from './tools/outcome-unknown.ts';
export { defineTool, type PermissionAnswer, type ToolOptions } from './tools/define-tool.ts';
export type { JsonSchema } from './tools/json-schema-type.ts';
export { media, text, type Media } from './tools/tool-parts.ts';
export { commandPermissions } from './tools/shell/command-permissions.ts';
export type { CommandContext } from './tools/shell/check-command.ts';
export { matchesHostRule } from './tools/paths/host-rule.ts';
export { matchesPathRule } from './tools/paths/path-rule.ts';
export { isSensitivePath } from './tools/paths/sensitive-paths.ts';
export type { LoadedTools, ToolSource, ToolSourceContext } from './tools/tool-source.ts';
export type { Subagent, SubagentContext, SubagentLimits, SubagentMode } from './tools/subagent.ts';
export type { SchemaInput, SchemaOutput, ToolSchema } from './tools/tool-schema.ts';
export type {
  PermissionContext,
  SessionSlots,
  Tool,
  ToolContext,
  ToolPart,
  ToolParts,
  ToolProgress,
  Validation,
} from './tools/tool.ts';
export { bubblewrapBackend, type BubblewrapBackendOptions } from './workspace/bubblewrap-backend.ts';
export { dockerBackend, type DockerBackendOptions } from './workspace/docker-backend.ts';
export type { EnvironmentOptions } from './workspace/environment.ts';
export { localBackend, type LocalBackendOptions } from './workspace/local-backend.ts';
export {
  workspace,
  workspaceTools,
  type WorkspaceOptions,
  type WorkspaceSource,
  type WorkspaceToolName,
} from './workspace/workspace-source.ts';
export type { LeftOut, Snapshot, SnapshotOptions, WorkspaceSnapshots } from './workspace/snapshots.ts';
export {
  WorkspaceError,
  type Command,
  type ExecEnd,
  type ExecOptions,
  type FileStat,
  type FileWriter,
  type FolderEntry,
  type OutputChunk,
  type Workspace,
  type WorkspaceBackend,
  type WorkspaceErrorCode,
} from './workspace/workspace.ts';
export { fixedSearch, searxng } from './web/search-providers.ts';
export { webFetch, type WebFetchOptions } from './web/web-fetch.ts';
export { webSearch, type SearchProvider, type SearchResult } from './web/web-search.ts';
