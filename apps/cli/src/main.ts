#!/usr/bin/env node
import 'reflect-metadata';
import { run } from './program';

// The reader of the output may stop early, as `head` does.
process.stdout.on('error', () => process.exit());

void run(process.argv).then((code) => {
  process.exitCode = code;
});
