import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** SoftHSM2 as Debian, Ubuntu and Fedora install it. */
const usualPlaces = [
  '/usr/lib/softhsm/libsofthsm2.so',
  '/usr/lib64/pkcs11/libsofthsm2.so',
  '/usr/lib64/libsofthsm2.so',
];
export const softHsmLibrary = usualPlaces.find((path) => existsSync(path));

/** Makes an empty SoftHSM in a directory. @returns the environment of what uses it */
export function emptySoftHsm(directory: string): { readonly SOFTHSM2_CONF: string } {
  const [tokens, conf] = [join(directory, 'tokens'), join(directory, 'conf')];
  mkdirSync(tokens);
  writeFileSync(conf, `directories.tokendir = ${tokens}\nlog.level = ERROR\n`);
  return { SOFTHSM2_CONF: conf };
}
