import { DefaultLogger, Runtime } from '@temporalio/worker';

// Failures that tests provoke are told by their assertions; what is left to log is what nobody expected.
Runtime.install({ logger: new DefaultLogger('ERROR') });
