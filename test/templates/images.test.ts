import { createHash } from 'node:crypto';
import { ApiKeys } from '@app/access';
import { SQL_DRIVER, type SqlDriver } from '@app/event-store';
import { expectProblem } from '../support/http/refusals';
import { answered, get, type Json, type Reply, send } from '../support/http/requests';
import { png, sendPicture } from '../support/portal/pictures';
import { publishedTemplate } from '../support/portal/portal';
import { serviceOfFile } from '../support/service/service-of-file';

const service = serviceOfFile();
const picture = png(300, 190);
const hash = createHash('sha256').update(picture);
const integrity = `sha256-${hash.copy().digest('base64')}`;
const imageId = hash.digest('hex');
const address = () => `${service.url}/images/${imageId}.png`;
const remove = (id: string): Promise<Reply> => send(`${service.url}/v0/images/${id}`, { method: 'DELETE' });
const sql = (text: string): Promise<Json[]> =>
  service.app.get<SqlDriver>(SQL_DRIVER, { strict: false }).query<Json>({ name: '', text, values: [] });
const bytesAt = async (url: string): Promise<Buffer> => Buffer.from(await (await fetch(url)).arrayBuffer());

function form(file: Buffer, name: string, type: string): { readonly body: Buffer; readonly type: string } {
  const head = `--b\r\nContent-Disposition: form-data; name="file"; filename="${name}"\r\nContent-Type: ${type}\r\n\r\n`;
  const body = Buffer.concat([Buffer.from(head), file, Buffer.from('\r\n--b--\r\n')]);
  return { body, type: 'multipart/form-data; boundary=b' };
}

describe('a picture that is sent', () => {
  it('gets an address by its content, whatever it is called, and is stored once', async () => {
    const made = await sendPicture(service.url, picture);
    expect(answered(201, made)).toEqual({
      ...{ imageId, uri: address(), integrity },
      ...{ mediaType: 'image/png', width: 300, height: 190, bytes: picture.length },
      createdAt: expect.any(String) as unknown,
    });
    expect(made.headers.get('location')).toBe(`/v0/images/${imageId}`);
    const called = form(picture, 'logo.svg', 'image/svg+xml');
    const again = await sendPicture(service.url, called.body, { 'content-type': called.type });
    expect(answered(201, again)).toEqual(made.json);
    expect(answered(200, await get(`${service.url}/v0/images`))['items']).toEqual([made.json]);
  });

  it('is loaded by wallets as it was sent, and by browsers as a picture and nothing else', async () => {
    const { status, headers } = await get(address());
    expect(status).toBe(200);
    expect(await bytesAt(address())).toEqual(picture);
    expect(Object.fromEntries(headers)).toMatchObject({
      'content-type': 'image/png',
      'cache-control': 'public, max-age=86400, immutable',
      'x-content-type-options': 'nosniff',
      'content-security-policy': "default-src 'none'; frame-ancestors 'none'; sandbox",
      'cross-origin-resource-policy': 'cross-origin',
      'access-control-allow-origin': '*',
    });
    const known = await get(address(), { 'if-none-match': headers.get('etag') ?? '' });
    expect([known.status, known.text]).toEqual([304, '']);
    expect(await bytesAt(`${service.url}/v0/images/${imageId}`)).toEqual(picture);
  });

  it.each([
    ['of another kind', (id: string) => `${id}.webp`],
    ['without its kind', (id: string) => id],
    ['in capital letters', (id: string) => `${id.toUpperCase()}.png`],
    ['of other content', (id: string) => `${id.replace(/^./, (one) => (one === '0' ? '1' : '0'))}.png`],
  ])('is not at an address %s', async (_, name) => {
    expect((await get(`${service.url}/images/${name(imageId)}`)).status).toBe(404);
  });

  it('is named with its hash in the type metadata of a card that shows it, and cannot be deleted then', async () => {
    const own = { uri: address(), alt_text: 'Arms' };
    const shown = { logo: own, background_image: { uri: own.uri } };
    const foreign = { logo: { uri: address().replace('127.0.0.1', 'localhost') } };
    for (const [templateId, look] of Object.entries({ shown, foreign })) {
      const display = [{ name: 'Member', locale: 'en', ...look }];
      await publishedTemplate(service.url, { templateId, vct: undefined, display });
    }
    const simple = async (id: string): Promise<unknown> => {
      const [one] = answered(200, await get(`${service.url}/vct/${id}/1`))['display'] as Json[];
      return (one?.['rendering'] as Json)['simple'];
    };
    const hashed = { uri: own.uri, 'uri#integrity': integrity };
    expect(await simple('shown')).toEqual({ logo: { ...own, ...hashed }, background_image: hashed });
    expect(await simple('foreign')).toEqual(foreign);
    const refused = await remove(imageId);
    expectProblem(refused, 409, 'conflict');
    expect(refused.json['detail']).toContain('shown by the template shown.');
    const plain = { method: 'PATCH', headers: { 'content-type': 'application/json' }, body: '{"display":null}' };
    answered(200, await send(`${service.url}/v0/templates/shown`, plain));
  });

  it('is gone once it is deleted, and each change is in the audit', async () => {
    answered(204, await remove(imageId));
    expect((await get(address())).status).toBe(404);
    expectProblem(await get(`${service.url}/v0/images/${imageId}`), 404, 'not-found');
    expectProblem(await remove(imageId), 404, 'not-found');
    const { items } = answered(200, await get(`${service.url}/v0/audit?object=${imageId}`)) as { items: Json[] };
    expect(items.map(({ action, outcome }) => `${String(action)} ${String(outcome)}`)).toEqual([
      ...['images.remove not-found', 'images.content not-found'],
      ...['images.remove ok', 'images.remove conflict', 'images.create ok'],
    ]);
  });

  it('is not served when its row has other content', async () => {
    const { imageId: id, uri } = answered(201, await sendPicture(service.url, png(4, 4)));
    await sql(`update images set content = '\\x3c7376673e' where image_id = '${String(id)}'`);
    expect((await get(String(uri))).status).toBe(404);
    answered(204, await remove(String(id)));
  });
});

describe('a file that is sent as a picture', () => {
  const drawing = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>');
  const huge = png(1, 1);
  huge.writeUInt32BE(1_000_000_000, 20);
  const called = form(drawing, 'logo.png', 'image/png');

  it.each([
    ['an SVG with a script', drawing, 'image/png', 'can carry scripts'],
    ['an SVG that a form calls a PNG', called.body, called.type, 'can carry scripts'],
    ['a PNG of 1 × 1,000,000,000 pixels', huge, 'image/png', 'has 1 × 1000000000 pixels'],
    ['a PNG with a script behind it', Buffer.concat([picture, drawing]), 'image/png', 'behind its end'],
    ['a text', Buffer.from('logo'), 'application/octet-stream', 'is no PNG, JPEG or WebP'],
  ])('is refused: %s', async (_, body, type, words) => {
    const refused = await sendPicture(service.url, body, { 'content-type': type });
    expectProblem(refused, 400, 'invalid-image');
    expect(refused.json['detail']).toContain(words);
  });

  it.each([
    ['200,001 bytes', 200_001, 'may have 200000'],
    ['more than a body may have', 300_000, '256 KiB'],
  ])('is refused with %s', async (_, length, words) => {
    const refused = await sendPicture(service.url, Buffer.concat([picture, Buffer.alloc(length - picture.length)]));
    expectProblem(refused, 413, 'payload-too-large');
    expect(refused.json['detail']).toContain(words);
  });

  it('is refused when it says that it is an SVG, when there is none, and without the right to change templates', async () => {
    const svg = await sendPicture(service.url, drawing, { 'content-type': 'image/svg+xml' });
    expectProblem(svg, 415, 'unsupported-media-type');
    expectProblem(await sendPicture(service.url, Buffer.alloc(0)), 400, 'validation-failed');
    const { text } = await service.app.get(ApiKeys).create({ name: 'reader', scopes: ['templates:read'] });
    const key = { 'x-api-key': text };
    expectProblem(await sendPicture(service.url, picture, key), 403, 'forbidden');
    expect((await get(`${service.url}/v0/images`, key)).status).toBe(200);
    expect(await sql('select 1 as one from images')).toEqual([]);
  });

  it('is refused when there are a hundred, unless it is one of them', async () => {
    await sql(`insert into images (tenant, image_id, kind, width, height, content)
      select '', 'row' || n, 'png', 1, 1, '' from generate_series(1, 99) as n`);
    answered(201, await sendPicture(service.url, png(5, 5)));
    const refused = await sendPicture(service.url, png(6, 6));
    expectProblem(refused, 409, 'conflict');
    expect(refused.json['detail']).toContain('There are 100 pictures already');
    answered(201, await sendPicture(service.url, png(5, 5)));
    await sql('delete from images');
  });
});
