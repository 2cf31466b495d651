import { resolve } from 'node:path';
import {
  loadClientConfigProfile,
  toClientOptions,
  type ClientConfigProfile,
  type ClientConfigTLS,
  type ClientConnectConfig,
} from '@temporalio/envconfig';
import type { TemporalConfig } from '../schema/agent.ts';
import { SettingsError } from './settings-error.ts';

export interface TemporalSettings {
  /** host:port; undefined when nothing names one, and so an embedded server is to be used. */
  address: string | undefined;
  namespace: string;
  /** For `Connection.connect` and `NativeConnection.connect`: address, TLS, API key. Never print it. */
  connection: ClientConnectConfig['connectionOptions'];
}

interface Sources {
  flags: { address?: string; namespace?: string };
  /** As @temporalio/envconfig reads it: TEMPORAL_* and the profile of its TOML file. */
  env: Record<string, string>;
  config: TemporalConfig | undefined;
  /** The folder that paths in the config are relative to. */
  root: string;
  fallback: { address: string; namespace: string } | undefined;
}

/** Flags, then environment, then config, then a running `durascope dev`. */
export function temporalSettings({ flags, env, config, root, fallback }: Sources): TemporalSettings {
  const profile = readProfile(env);
  const address = flags.address ?? profile.address ?? config?.address ?? fallback?.address;
  const namespace = flags.namespace ?? profile.namespace ?? config?.namespace ?? fallback?.namespace;
  const apiKey = profile.apiKey ?? config?.apiKey;
  const tls = profile.tls ?? tlsOf(config?.tls, root);
  const merged: ClientConfigProfile = {
    ...(address === undefined ? {} : { address }),
    ...(apiKey === undefined ? {} : { apiKey }),
    ...(tls === undefined ? {} : { tls }),
    ...(profile.grpcMeta === undefined ? {} : { grpcMeta: profile.grpcMeta }),
  };
  return { address, namespace: namespace ?? 'default', connection: connectionOf(merged) };
}

/** The same settings at another address, which is our own server: without credentials that were meant for another. */
export function atEmbedded(settings: TemporalSettings, address: string): TemporalSettings {
  return { ...settings, address, connection: { address } };
}

function readProfile(env: Record<string, string>): ClientConfigProfile {
  try {
    return loadClientConfigProfile({ overrideEnvVars: env });
  } catch (cause) {
    throw new SettingsError(
      'temporal_invalid',
      `Temporal's settings cannot be read (${reasonOf(cause)}): correct TEMPORAL_PROFILE, TEMPORAL_CONFIG_FILE or that file`,
      { cause },
    );
  }
}

function connectionOf(profile: ClientConfigProfile): TemporalSettings['connection'] {
  try {
    return toClientOptions(profile).connectionOptions;
  } catch (cause) {
    throw new SettingsError(
      'temporal_invalid',
      `A certificate for Temporal cannot be read (${reasonOf(cause)}): correct TEMPORAL_TLS_*_PATH, or temporal.tls of the config`,
      { cause },
    );
  }
}

function tlsOf(tls: TemporalConfig['tls'], root: string): ClientConfigTLS | undefined {
  if (tls === undefined) return undefined;
  if (typeof tls === 'boolean') return { disabled: !tls };
  const { serverName, serverCaCertPath, clientCertPath, clientKeyPath } = tls;
  const file = (path: string) => ({ path: resolve(root, path) });
  return {
    ...(serverName === undefined ? {} : { serverName }),
    ...(serverCaCertPath === undefined ? {} : { serverCACert: file(serverCaCertPath) }),
    ...(clientCertPath === undefined ? {} : { clientCert: file(clientCertPath) }),
    ...(clientKeyPath === undefined ? {} : { clientKey: file(clientKeyPath) }),
  };
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
