const reasons: Readonly<Record<string, string>> = {
  EADDRINUSE: 'is in use by another process: end that process, or set another port',
  EACCES: 'needs rights that this process does not have: set a port from 1024 on',
};

/** Why a listener could not be opened, and what to do. @param setting that names the port */
export function portError(setting: string, port: number, { code = 'unknown' }: NodeJS.ErrnoException): Error {
  return new Error(`Port ${port} (${setting}) ${reasons[code] ?? `cannot be opened (${code}): set another port`}.`);
}
