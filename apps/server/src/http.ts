import { managementAccess } from '@app/access';
import { Settings } from '@app/config';
import {
  answeredRequests,
  corsPreflight,
  hideOtherListener,
  LeanExpressAdapter,
  Listeners,
  logAnswered,
  logShapes,
  ManagementErrorFilter,
  publicPath,
  rawBody,
  RouteTable,
  securityHeaders,
  singularHeaders,
  type HttpReply,
  requestContext,
  requestDeadline,
  TenantAddresses,
  restartDeadline,
  type AnswerListener,
  isProbe,
} from '@app/http';
import { ServiceLogger, StartLogger, Metrics, type AnsweredRequest } from '@app/observability';
import type { DynamicModule, INestApplication, Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import type { ServerResponse } from 'node:http';
import { offerCounter, redemptionRefused } from '@app/offers';
import { ServerModule } from './server.module';

export interface ServerOptions {
  /** The settings of a test; the process's own environment when absent. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
  /** Nothing is logged, not even of requests. */
  readonly logger?: false;
  /** Whether a thread does what no request waits for, where the database is a server. */
  readonly thread?: boolean;
}

/** Builds the service without listening. Rejects with a readable error when settings or database are wrong. */
export function createServer({ environment, logger, thread }: ServerOptions = {}): Promise<INestApplication> {
  return createHttpApplication(ServerModule.forRoot(environment, thread ? 'requests' : 'everything'), logger);
}

/** What every request passes, around any root module that imports `SettingsModule` and `HttpModule`. */
export async function createHttpApplication(root: DynamicModule | Type, logger?: false): Promise<INestApplication> {
  const adapter = new LeanExpressAdapter();
  const app = await NestFactory.create<NestExpressApplication>(root, adapter, {
    bodyParser: false,
    abortOnError: false,
    // Kept until the settings are known, and with them the level and the form of the log.
    bufferLogs: logger !== false,
    logger: logger ?? new StartLogger({ logLevels: ['fatal', 'error', 'warn'] }),
  });
  if (logger !== false) {
    app.useLogger(app.get(ServiceLogger));
    app.flushLogs();
  }
  app.disable('x-powered-by');
  app.disable('etag');
  app.set('query parser', 'simple');
  const { applicationUrl, http, profile } = app.get(Settings);
  app.set('trust proxy', [...http.trustedProxies]);
  adapter.explainLargeHeaders(applicationUrl);
  const routes = app.get(RouteTable);
  const reply = (response: ServerResponse, answer: HttpReply): void => {
    adapter.reply(response, answer);
  };
  if (profile === 'development') {
    adapter.observeReplies(logShapes((path) => routes.audienceOf(path) === 'wallets'));
  }
  const listeners = [...(logger === false ? [] : [logAnswered]), countedBy(app.get(Metrics))];
  adapter.passThrough(
    requestContext,
    answeredRequests(listeners, routes.templateOf),
    publicPath(applicationUrl, app.get(TenantAddresses), routes.audienceOf),
    hideOtherListener(app.get(Listeners), routes.audienceOf),
    securityHeaders(applicationUrl, routes.audienceOf),
    singularHeaders(routes.audienceOf, reply),
    corsPreflight(routes, reply),
    requestDeadline(routes.budgetOf(http.requestSeconds)),
    managementAccess(app, routes.needsCaller),
    rawBody(routes.bodyLimitOf),
    // A client takes as long as it takes for its body; the time of the answer begins with its end.
    restartDeadline,
  );
  try {
    await app.init();
    routes.read(app);
    adapter.plan(app, app.get(ManagementErrorFilter));
  } catch (error) {
    // What is open by now, the database for one, must not outlive a start that failed.
    await app.close().catch(() => undefined);
    throw error;
  }
  return app;
}

/** Counts requests, but for probes. */
function countedBy(metrics: Metrics): AnswerListener {
  return (request, state) => {
    if (isProbe(request)) return;
    metrics.requestAnswered(request, state?.tenant);
    if (state?.refusal) metrics.walletRefused({ route: request.route, ...state.refusal });
    if (isRefusedRedemption(request)) metrics.count(offerCounter, redemptionRefused, state?.tenant);
  };
}

function isRefusedRedemption({ method, route, status }: AnsweredRequest): boolean {
  return route === '/openid4vci/token' && method === 'POST' && status === 400;
}
