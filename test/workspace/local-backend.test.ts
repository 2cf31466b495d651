import { describeBackend } from './backend-contract.ts';

describeBackend('local');
