import { timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { BareStore } from './bare-store';
import { digest } from './floor-cryptography';
import { type Answer, issuingAnswers, verifyingAnswers } from './floor-flows';

/**
 * The exchanges of both flows with the same cryptography and durable commits on bare `node:http`, and nothing else: no
 * framework, validation, schemas, limits, logs, proofs, audit, deadlines or error handling. What is left is what the work
 * itself costs in Node and PostgreSQL. Environment: PORT, DATABASE, API_KEY.
 */
async function main(): Promise<void> {
  const store = await BareStore.open(process.env['DATABASE'] ?? '');
  const known = Buffer.from(digest(process.env['API_KEY'] ?? ''));
  const answers = new Map<string, Answer>([
    ...Object.entries({ ...issuingAnswers(store), ...verifyingAnswers(store) }),
    ['GET /readyz', () => ({})],
  ]);

  const answered = (request: IncomingMessage, body: string): object | string | Promise<object | string> => {
    const { method = '', url: path = '' } = request;
    const bearer = request.headers.authorization?.slice('Bearer '.length) ?? '';
    if (path.startsWith('/v0/') && !timingSafeEqual(Buffer.from(digest(bearer)), known)) throw new Error('No API key.');
    const answer =
      answers.get(`${method} ${path}`) ?? answers.get(`${method} ${path.slice(0, path.lastIndexOf('/') + 1)}`);
    if (!answer) throw new Error(`There is nothing at ${path}.`);
    return answer({ path, body, bearer });
  };
  const handle = async (request: IncomingMessage, response: ServerResponse, body: string): Promise<void> => {
    const content = await answered(request, body);
    const text = typeof content === 'string' ? content : JSON.stringify(content);
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) });
    response.end(text);
  };

  const server = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8');
    request.on('data', (chunk: string) => (body += chunk));
    request.on('end', () => {
      handle(request, response, body).catch((error: unknown) => {
        response.writeHead(500).end(String(error));
      });
    });
  });
  server.listen(Number(process.env['PORT']), '127.0.0.1');
  process.once('SIGTERM', () => {
    server.close(() => void store.close());
    server.closeAllConnections();
  });
}

void main();
