import { setTimeout as delay } from 'node:timers/promises';
import { answered, get, type Json, postJson, send } from '../http/requests';

/** Sends a file. @returns the id of the import */
export async function uploaded(
  url: string,
  templateId: string,
  file: string | Buffer,
  contentType = 'text/csv',
): Promise<string> {
  const body = typeof file === 'string' ? Buffer.from(file) : file;
  const address = `${url}/v0/imports?templateId=${encodeURIComponent(templateId)}`;
  const { importId } = answered(
    202,
    await send(address, { method: 'POST', headers: { 'content-type': contentType }, body }),
  );
  return String(importId);
}

export async function importOf(url: string, importId: string): Promise<Json> {
  return answered(200, await get(`${url}/v0/imports/${importId}`));
}

/** The import once it is in a state. */
export async function until(url: string, importId: string, ...states: readonly string[]): Promise<Json> {
  for (;;) {
    const found = await importOf(url, importId);
    if (states.includes(String(found['state']))) return found;
    if (['Done', 'Cancelled', 'Failed'].includes(String(found['state']))) {
      throw new Error(`The import is ${String(found['state'])}: ${String(found['reason'])}`);
    }
    await delay(50);
  }
}

/** Sends a file and starts the import once its rows are checked. */
export async function startedImport(url: string, templateId: string, file: string): Promise<string> {
  const importId = await uploaded(url, templateId, file);
  await until(url, importId, 'Checked');
  answered(200, await postJson(`${url}/v0/imports/${importId}/start`, ''));
  return importId;
}
