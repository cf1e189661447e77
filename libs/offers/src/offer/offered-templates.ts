import { Settings } from '@app/config';
import { concerning, Problem } from '@app/primitives/problems';
import {
  concernOf,
  constantClaims,
  GetConfigurationOfTemplate,
  isFormatKnown,
  type IssuableConfiguration,
  unsupportedFormat,
} from '@app/templates';
import type { Awaitable } from '@app/primitives/awaitable';
import { Injectable } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import { askedAuthorization, type GivenAuthorization } from './asked-authorization';
import type { OfferKind } from './new-offer';
import type { AskedAuthorization } from './offer-grants';

/** What a new offer promises, and what follows from that. */
@Injectable()
export class OfferedTemplates {
  constructor(
    private readonly queries: QueryBus,
    private readonly settings: Settings,
  ) {}

  /** Throws the problem of a template that cannot be offered. */
  async configurationsOf(templateIds: readonly string[]): Promise<IssuableConfiguration[]> {
    const configurations: IssuableConfiguration[] = [];
    for (const templateId of new Set(templateIds)) {
      const configuration = await this.queries.execute(new GetConfigurationOfTemplate(templateId));
      if (!isFormatKnown(configuration)) {
        await concerning(concernOf(configuration), () => {
          throw unsupportedFormat(templateId, configuration);
        });
      }
      configurations.push(configuration);
    }
    return configurations;
  }

  /** As `askedAuthorization`. Throws the problem of a template that cannot be offered to everyone, where the offer is public. */
  authorization(
    given: GivenAuthorization | null | undefined,
    configurations: readonly IssuableConfiguration[],
    kind: OfferKind,
  ): Awaitable<AskedAuthorization | null | undefined> {
    const { profile, identification } = this.settings;
    const hasLogin = identification.openid.issuer !== '';
    const asked = given && askedAuthorization(given, { configurations, kind, profile, hasLogin });
    return kind === 'public' ? this.ofPublic(asked, configurations) : asked;
  }

  private async ofPublic(
    asked: AskedAuthorization | null | undefined,
    configurations: readonly IssuableConfiguration[],
  ): Promise<AskedAuthorization | null | undefined> {
    const open = await this.firstWithOpenClaims(configurations);
    if (!open) return asked && withData(asked);
    if (!asked?.needsNoData) {
      throw new Problem(
        'template-not-eligible-for-public-offer',
        `The template ${open.templateId} leaves claims open; a public offer cannot contain a person's data.`,
      );
    }
    if (asked.identification !== 'portal') return asked;
    throw new Problem(
      'conflict',
      'The identification portal is for a person whom you know: a public offer needs one that asks who accepts it.',
    );
  }

  private async firstWithOpenClaims(
    configurations: readonly IssuableConfiguration[],
  ): Promise<IssuableConfiguration | undefined> {
    for (const configuration of configurations) {
      if (!(await concerning(concernOf(configuration), () => constantClaims(configuration)))) return configuration;
    }
    return undefined;
  }
}

/** The schemas say all that the credentials do. */
function withData({ needsNoData: _needsNoData, ...asked }: AskedAuthorization): AskedAuthorization {
  return asked;
}
