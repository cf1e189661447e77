import { readFileSync } from 'node:fs';
import { networkInterfaces } from 'node:os';

/** What loading the settings asks of the machine; a test gives its own. */
export interface Surroundings {
  /** Content of a UTF-8 file; throws when it cannot be read. */
  readonly readFile: (path: string) => string;
  /** First IPv4 address that other devices can reach, undefined without a network. */
  readonly lanAddress: () => string | undefined;
}

export const thisMachine: Surroundings = {
  readFile: (path) => readFileSync(path, 'utf8'),
  lanAddress: () =>
    Object.values(networkInterfaces())
      .flatMap((addresses) => addresses ?? [])
      .find(({ family, internal, address }) => family === 'IPv4' && !internal && !address.startsWith('169.254.'))
      ?.address,
};
