import { Settings } from '@app/config';
import { IQueryHandler, QueryHandler } from '@nestjs/cqrs';
import { commonPresentation } from '../data-sources/asked-presentation';
import { FindWalletInitiation, MapClaims, type WalletInitiation } from '../api';
import { CredentialConfigurations } from './credential-configurations';
import { noConfiguration } from './credential-configurations.handlers';
import { identificationOf, isForWallets } from '../data-sources/data-origin';
import { mappedClaims, type MappedClaims } from './mapped-claims';

@QueryHandler(FindWalletInitiation)
export class FindWalletInitiationHandler implements IQueryHandler<FindWalletInitiation> {
  constructor(
    private readonly configurations: CredentialConfigurations,
    private readonly settings: Settings,
  ) {}

  async execute({ configurationIds }: FindWalletInitiation): Promise<WalletInitiation> {
    const { profile } = this.settings;
    const found = await Promise.all(
      configurationIds.map(async (id) => ({ id, configuration: await this.configurations.find(id) })),
    );
    const others = found.filter(({ configuration }) => !configuration || !isForWallets(configuration, profile));
    if (others.length > 0) return { outcome: 'offer-needed', configurationIds: others.map(({ id }) => id) };
    const configurations = found.flatMap(({ configuration = [] }) => configuration);
    const [identification, another] = new Set(configurations.map((one) => identificationOf(one, profile)));
    const isByOnePresentation = identification !== 'presentation' || commonPresentation(configurations) !== undefined;
    if (another !== undefined || !isByOnePresentation) return { outcome: 'apart', configurationIds };
    if (identification === undefined || identification === 'portal')
      return { outcome: 'offer-needed', configurationIds };
    return { outcome: 'possible', identification };
  }
}

@QueryHandler(MapClaims)
export class MapClaimsHandler implements IQueryHandler<MapClaims> {
  constructor(
    private readonly configurations: CredentialConfigurations,
    private readonly settings: Settings,
  ) {}

  async execute({ configurationId, person }: MapClaims): Promise<MappedClaims> {
    const configuration = await this.configurations.find(configurationId);
    if (!configuration) throw noConfiguration(configurationId);
    return mappedClaims(configuration, person, this.settings.profile);
  }
}
