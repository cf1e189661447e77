import { passwordFault } from '@app/config';
import { readFile } from 'node:fs/promises';
import { createInterface } from 'node:readline/promises';
import { text } from 'node:stream/consumers';
import { Writable } from 'node:stream';
import { codeOf, UsageFailure } from './failure';

/**
 * A new password of the key store: from a file, from a pipe, or typed twice at a terminal, where it is not shown. Never an
 * argument, which other users of the machine can see. One line end behind it is not part of it.
 */
export async function newPassword(file: string | undefined): Promise<string> {
  const given = file === undefined ? await fromInput() : await fromFile(file);
  const password = given.replace(/\r?\n$/, '');
  const fault = passwordFault(password);
  if (fault) throw new UsageFailure(`The new password is ${fault.found}: ${fault.remedy}.`);
  return password;
}

async function fromFile(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    throw new UsageFailure(`The file with the new password cannot be read (${codeOf(error)}).`);
  }
}

async function fromInput(): Promise<string> {
  if (!process.stdin.isTTY) return text(process.stdin);
  const silent = new Writable({
    write: (_chunk, _encoding, done) => {
      done();
    },
  });
  const terminal = createInterface({ input: process.stdin, output: silent, terminal: true });
  try {
    process.stderr.write('New password: ');
    const first = await terminal.question('');
    process.stderr.write('\nRepeat the new password: ');
    const second = await terminal.question('');
    process.stderr.write('\n');
    if (first !== second) throw new UsageFailure('The two passwords differ: nothing was changed.');
    return first;
  } finally {
    terminal.close();
  }
}
