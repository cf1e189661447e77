import { readFileSync } from 'node:fs';
import { join } from 'node:path';

export const root = join(__dirname, '../..');

export interface Instruction {
  readonly name: string;
  /** Everything behind the name, on one line. */
  readonly text: string;
}

export interface Stage {
  readonly image: string;
  readonly name: string | undefined;
  readonly instructions: readonly Instruction[];
}

/** The stages of the Dockerfile; `before` holds what stands before the first. */
export function readDockerfile(): { before: Instruction[]; stages: Stage[] } {
  const lines = readFileSync(join(root, 'Dockerfile'), 'utf8')
    .replaceAll(/\\\n/g, ' ')
    .split('\n')
    .filter((line) => line.trim() !== '' && !line.startsWith('#'));
  const before: Instruction[] = [];
  const stages: (Stage & { instructions: Instruction[] })[] = [];
  for (const line of lines) {
    const [, name = '', text = ''] = /^([A-Z]+)\s+(.*)$/.exec(line.replaceAll(/\s+/g, ' ')) ?? [];
    const last = stages.at(-1);
    if (name === 'FROM') {
      const [image = '', , stage] = text.split(' ');
      stages.push({ image, name: stage, instructions: [] });
    } else if (name === '') throw new Error(`This is no instruction: ${line}`);
    else (last?.instructions ?? before).push({ name, text });
  }
  return { before, stages };
}

/** The words of an instruction in exec form; undefined for one that needs a shell. */
export function execForm(text: string): string[] | undefined {
  return text.startsWith('[') ? (JSON.parse(text) as string[]) : undefined;
}

/** `COPY`: from which stage, or undefined for the context, and which paths. */
export function copied(text: string): { from: string | undefined; paths: string[] } {
  const words = text.split(' ');
  const from = words.find((word) => word.startsWith('--from='))?.slice('--from='.length);
  return { from, paths: words.filter((word) => !word.startsWith('--')).slice(0, -1) };
}
