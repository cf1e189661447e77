/** What the container engine runs, without a shell: ends with 0 when the service answers. The argument is another address. */
async function check(address = 'http://127.0.0.1:3033/livez'): Promise<number> {
  try {
    const { ok } = await fetch(address, { signal: AbortSignal.timeout(2500) });
    return ok ? 0 : 1;
  } catch {
    return 1;
  }
}

void check(process.argv[2]).then((code) => process.exit(code));
