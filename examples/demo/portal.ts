/** What an issuer portal does: a few calls of the management API. */
export class Portal {
  constructor(private readonly url: string) {}

  post(path: string, body: unknown): Promise<Record<string, unknown>> {
    return this.call(path, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    });
  }

  get(path: string): Promise<Record<string, unknown>> {
    return this.call(path, {});
  }

  /** An operation that answers without content. */
  async delete(path: string): Promise<void> {
    await this.call(path, { method: 'DELETE' });
  }

  private async call(path: string, request: RequestInit): Promise<Record<string, unknown>> {
    const response = await fetch(this.url + path, request);
    if (response.status === 204) return {};
    const answer = (await response.json()) as Record<string, unknown>;
    if (response.ok) return answer;
    throw new Error(`${request.method ?? 'GET'} ${path} answered ${response.status}: ${String(answer['detail'])}`);
  }
}

/** A member of an answer that must be text. */
export function text(answer: Record<string, unknown>, name: string): string {
  const value = answer[name];
  if (typeof value !== 'string') throw new Error(`the answer has no ${name}`);
  return value;
}
