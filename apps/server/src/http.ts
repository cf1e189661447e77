import { Settings } from '@app/config';
import { LeanExpressAdapter, rawBody, requestContext } from '@app/http';
import { Metrics } from '@app/metrics';
import type { DynamicModule, INestApplication, LoggerService, Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { hideForeign } from './listener-split';
import { Listeners } from './listeners';
import { managementAccess } from './management-access';
import { answeredRequests } from './answered-requests';
import { countedBy } from './business-metrics';
import { publicPath } from './public-path';
import { RouteTable } from './route-table';
import { ServerModule } from './server.module';

/** Bytes a body may have; wallets are strangers and need little. */
const managementLimit = 256 * 1024;
/** A thousand credentials at once. */
const batchLimit = 8 * 1024 * 1024;
const walletLimit = 64 * 1024;
/** Presentations may hold many disclosures; encrypted ones are a third larger. */
const presentationLimit = 2 * 1024 * 1024;

export interface ServerOptions {
  /** The settings of a test; the process's own environment when absent. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
  readonly logger?: LoggerService | false;
}

/** Builds the service without listening. Rejects with a readable error when settings or database are wrong. */
export function createServer({ environment, logger }: ServerOptions = {}): Promise<INestApplication> {
  return createHttpApplication(ServerModule.forRoot(environment), logger);
}

/** What every request passes, around any root module that imports `SettingsModule` and `HttpModule`. */
export async function createHttpApplication(
  root: DynamicModule | Type,
  logger?: LoggerService | false,
): Promise<INestApplication> {
  const app = await NestFactory.create<NestExpressApplication>(root, new LeanExpressAdapter(), {
    bodyParser: false,
    abortOnError: false,
    ...(logger !== undefined && { logger }),
  });
  app.disable('x-powered-by');
  app.disable('etag');
  app.set('query parser', 'simple');
  const { applicationUrl, http } = app.get(Settings);
  app.set('trust proxy', [...http.trustedProxies]);
  const { pathname } = new URL(applicationUrl);
  const metrics = app.get(Metrics);
  if (metrics.enabled) app.use(answeredRequests(countedBy(metrics)));
  app.use(publicPath(pathname.replace(/\/+$/, '')));
  app.use(hideForeign(app.get(Listeners)));
  app.use(requestContext);
  app.use(managementAccess(app));
  app.use(rawBody(bodyLimit));
  try {
    await app.init();
  } catch (error) {
    // What is open by now, the database for one, must not outlive a start that failed.
    await app.close().catch(() => undefined);
    throw error;
  }
  app.get(RouteTable).read(app);
  return app;
}

function bodyLimit(path: string): number {
  if (path.startsWith('/v0/credentials/batch')) return batchLimit;
  if (path.startsWith('/v0/')) return managementLimit;
  return path.startsWith('/openid4vp/') ? presentationLimit : walletLimit;
}
