#!/usr/bin/env node
import 'reflect-metadata';
import { runCli } from './run-cli.js';
import { ProcessTerminal } from './terminal.js';

const terminal = new ProcessTerminal();
const exitCode = await runCli(process.argv.slice(2), { environment: process.env, terminal });
await terminal.flush();
// Ends also where a start that failed has left idle connections behind.
process.exit(exitCode);
