import { type RunningService, startService } from './service';

type Given = Readonly<Record<string, string>>;

/** The service of all tests of a file: it starts before the first of them and stops after the last. */
export function serviceOfFile(settings: Given | (() => Promise<Given>) = {}): RunningService {
  let running: RunningService | undefined;
  beforeAll(async () => {
    running = await startService(typeof settings === 'function' ? await settings() : settings);
  });
  afterAll(() => running?.stop());
  const started = (): RunningService => {
    if (!running) throw new Error('The service starts before the first test.');
    return running;
  };
  return {
    get url() {
      return started().url;
    },
    get managementUrl() {
      return started().managementUrl;
    },
    get app() {
      return started().app;
    },
    stop: () => started().stop(),
  };
}
