import type { Texts } from '../texts';

export const nl: Texts = {
  page: {
    languages: 'Talen',
    scan: 'Scan de code met uw wallet-app.',
    codeImage: 'QR-code met de link voor uw wallet',
    openWallet: 'Wallet op dit apparaat openen',
    otherWallets: 'Opent uw wallet niet, of leest die de code niet?',
    notOpening: 'Opent uw wallet niet?',
    otherForms: 'Kies een andere vorm van de link:',
    usualForm: 'Gebruikelijke vorm',
    copy: 'Of kopieer deze link naar uw wallet:',
    tooLong: 'De link is te lang voor een QR-code. Open deze pagina op het apparaat met uw wallet.',
    sameDevice: 'Uw wallet moet op dit apparaat staan.',
    checkAgain: 'Opnieuw controleren',
    noWallet: 'Hebt u nog geen wallet-app?',
    noWalletHelp:
      'Een wallet is een app op uw telefoon waarin u digitale bewijzen bewaart. Vraag {issuer} welke u kunt gebruiken.',
    findWallet: 'Zo krijgt u een wallet-app',
    contact: 'Contact opnemen met {issuer}',
    forms: {
      haip: 'Voor Europese identiteitswallets',
      final: 'Voor huidige wallets',
      'draft-20': 'Voor oudere wallets',
      'draft-20-redirect': 'Voor oudere wallets, tweede vorm',
      siopv2: 'Voor wallets die alleen inloggen',
    },
  },
  notices: {
    invalid: {
      title: 'Deze link is niet meer geldig',
      advice:
        'De link is verlopen, al gebruikt of door een andere vervangen. Vraag een nieuwe link aan de organisatie van wie u deze hebt gekregen.',
    },
    tooMany: {
      title: 'Te veel pogingen',
      advice: 'Vanaf uw netwerk zijn meerdere links geopend die niet bestaan. Wacht een minuut en probeer het opnieuw.',
    },
    unavailable: {
      title: 'Deze pagina is op dit moment niet beschikbaar',
      advice: 'Probeer het over enkele minuten opnieuw. Uw link blijft geldig.',
    },
  },
  request: {
    contents: 'Wat u wordt gevraagd te tonen',
    confirmation: 'Wat u bevestigt',
    reason: 'Waarom',
    identity: 'Een kenmerk uit uw wallet',
    identityMeaning: 'Uw wallet maakt het voor deze aanmelding. Het zegt niets over u.',
    anyCredential: 'Een bewijs naar keuze',
    sentWhole: 'Uw wallet verstuurt een bewijs van deze soort altijd volledig.',
    noClaims: 'Alleen dat u het hebt',
    ageOver: 'Dat u {age} jaar of ouder bent',
    optional: 'Niet verplicht',
    oneOf: 'Een van deze is genoeg:',
    askBrowser: 'Doorgaan met een wallet',
    browserFailed: 'Dat is niet gelukt. Probeer het opnieuw, of gebruik de andere manier hieronder.',
    afterwards: 'Daarna brengt uw wallet u terug naar {host}.',
    afterwardsHere: 'Daarna brengt uw wallet u terug naar deze browser.',
    needsScript: 'Voor deze stap is JavaScript nodig. Sta het voor deze pagina toe en laad de pagina opnieuw.',
    technicalName: 'Technische naam',
    goBack: 'Terug naar {host}',
    states: {
      pending: {
        title: 'Toon uw bewijs',
        advice: 'Lees hieronder wat er wordt gevraagd. In uw wallet beslist u of u het verstuurt.',
      },
      retrieved: {
        title: 'Ga verder in uw wallet',
        advice:
          'Uw wallet heeft het verzoek geopend. Bevestig het daar. Als er niets gebeurt, kunt u het verzoek nog eens openen.',
      },
      rejected: {
        title: 'Het antwoord is niet geaccepteerd',
        advice: 'Uw wallet toont mogelijk de reden. U kunt het opnieuw proberen, ook met een ander bewijs.',
      },
      declined: {
        title: 'Er is niets getoond',
        advice: 'U hebt in uw wallet geweigerd, of die bevat niets dat past. U kunt het opnieuw proberen.',
      },
      withheld: {
        title: 'Nog één stap',
        advice:
          'Uw wallet heeft het antwoord verzonden en brengt u terug. Het antwoord wordt alleen doorgegeven als u binnen vijf minuten terugkomt in de browser waarin u bent begonnen.',
      },
      verified: {
        title: 'Dank u, uw antwoord is geaccepteerd',
        advice: 'Wat u hebt verstuurd, is gecontroleerd. U kunt deze pagina sluiten.',
      },
      abandoned: {
        title: 'Het antwoord is niet doorgegeven',
        advice:
          'Niemand is op tijd vanuit de wallet teruggekomen in de browser waarin dit begon. Ga terug naar waar u vandaan kwam en begin opnieuw.',
      },
      expired: {
        title: 'Dit verzoek is verlopen',
        advice: 'Er kan niets meer worden verstuurd. Ga terug naar waar u vandaan kwam en begin opnieuw.',
      },
    },
    returns: {
      returning: {
        title: 'Een ogenblik',
        advice: 'We controleren of dit de browser is waarin u bent begonnen.',
      },
      refused: {
        title: 'U kon niet worden teruggebracht',
        advice:
          'Dit is niet de browser waarin u bent begonnen, de link is al gebruikt, of er zijn meer dan vijf minuten voorbij. Open de pagina waarin u bent begonnen: die toont hoe het ervoor staat.',
      },
    },
    claims: {
      given_name: 'Voornaam',
      family_name: 'Achternaam',
      name: 'Volledige naam',
      birthdate: 'Geboortedatum',
      birthplace: 'Geboorteplaats',
      nationality: 'Nationaliteit',
      email: 'E-mailadres',
      phone: 'Telefoonnummer',
      address: 'Adres',
      street: 'Straat',
      postal_code: 'Postcode',
      locality: 'Plaats',
      country: 'Land',
      portrait: 'Uw foto',
      sex: 'Geslacht',
      document_number: 'Documentnummer',
      expiry_date: 'Vervaldatum',
      issuing_authority: 'Instantie van afgifte',
      issuing_country: 'Land van afgifte',
    },
  },
  authorize: {
    username: 'Gebruikersnaam',
    password: 'Wachtwoord',
    login: 'Inloggen',
    asker: 'Wie erom vraagt',
    contents: 'Wat u ontvangt',
    data: 'Wat erin komt te staan',
    dataLater: 'De uitgever voegt de gegevens toe.',
    approve: 'Akkoord',
    reject: 'Niet akkoord',
    goBack: 'Terug naar de wallet',
    transactionCode: 'Transactiecode',
    transactionCodeHint: 'U hebt deze apart van de uitgever ontvangen: {length} tekens.',
    transactionCodeMissing: 'Voer de code in die u hebt ontvangen.',
    transactionCodeWrong: 'De code is onjuist. Resterende pogingen: {tries}. Na de laatste is het aanbod vergrendeld.',
    notYou: 'Bent u dit niet?',
    otherLogin: 'Als iemand anders inloggen',
    otherCredential: 'Een ander bewijs tonen',
    states: {
      login: {
        title: 'Inloggen',
        advice: 'Dit is een login voor ontwikkeling: elke naam en elk wachtwoord wordt geaccepteerd.',
      },
      presentation: {
        title: 'Laat zien wie u bent',
        advice:
          'Laat het volgende zien vanuit uw wallet voordat u het bewijs ontvangt. Doe dit alleen als u zelf in uw eigen wallet bent begonnen.',
      },
      consent: {
        title: 'Wilt u dit in uw wallet hebben?',
        advice:
          'Controleer wie erom vraagt en wat erin staat. Ga alleen akkoord als u zelf in uw eigen wallet bent begonnen.',
      },
      'offer-needed': {
        title: 'Vraag de uitgever om een aanbod',
        advice: 'Een wallet kan hier niet zelf om vragen. De uitgever geeft u een link of QR-code waarmee het begint.',
      },
      apart: {
        title: 'Graag één voor één',
        advice:
          'Voor deze bewijzen wordt op verschillende manieren vastgesteld wie u bent. Vraag ze in uw wallet één voor één aan.',
      },
      'not-issued': {
        title: 'Op dit moment niet beschikbaar',
        advice: 'De uitgever geeft dit bewijs op dit moment niet uit. Probeer het later opnieuw.',
      },
      ended: {
        title: 'Deze pagina is niet meer geldig',
        advice: 'De pagina is verlopen, of het verzoek is al beantwoord. Ga terug naar uw wallet en begin opnieuw.',
      },
      unpushed: {
        title: 'Uw wallet heeft het verzoek gedaan op een manier die hier niet mogelijk is',
        advice:
          'De wallet heeft deze pagina geopend zonder het verzoek eerst naar deze dienst te sturen. Ga terug naar uw wallet en begin opnieuw; gebeurt het weer, vraag het dan aan de aanbieder van de wallet.',
      },
      unexpected: {
        title: 'Dit is voor iemand anders bestemd',
        advice:
          'Wat u zou ontvangen, is voor een andere persoon dan degene die zojuist is vastgesteld; voor die persoon blijft het beschikbaar. Was dat de login van iemand anders op dit apparaat, gebruik dan uw eigen login.',
      },
      unproven: {
        title: 'We kunnen niet vaststellen of dit voor u bestemd is',
        advice:
          'In de gegevens over u ontbreekt waaraan de uitgever u herkent. Probeer het op een andere manier of vraag het de uitgever.',
      },
      'other-browser': {
        title: 'Dit hoort niet bij uw pagina',
        advice:
          'De pagina is in een andere browser geopend, of uw browser bewaart geen cookies. Ga terug naar uw wallet en begin opnieuw.',
      },
    },
  },
  offer: {
    contents: 'Wat u ontvangt',
    digits:
      'Uw wallet vraagt om een transactiecode van {length} cijfers. U ontvangt die apart, niet op deze pagina. Voer de code alleen in uw wallet in.',
    characters:
      'Uw wallet vraagt om een transactiecode van {length} tekens. U ontvangt die apart, niet op deze pagina. Voer de code alleen in uw wallet in.',
    onOpenedPage:
      'U wordt om een transactiecode van {length} tekens gevraagd, in uw wallet of op de pagina die deze opent. U ontvangt die apart, niet op deze pagina. Voer de code nergens anders in.',
    wrongCode:
      'Er is een onjuiste transactiecode ingevoerd. Resterende pogingen: {tries}. Na de laatste is het aanbod vergrendeld.',
    states: {
      waiting: {
        title: 'Uw bewijs wordt voorbereid',
        advice:
          'De gegevens zijn nog niet volledig. U kunt deze pagina open laten: ze laat zien wanneer uw bewijs klaar is.',
      },
      ready: {
        title: 'Uw bewijs is klaar',
        advice: 'Haal het op met uw wallet-app.',
      },
      fetched: {
        title: 'Ga verder in uw wallet',
        advice:
          'Uw wallet heeft het aanbod geopend. Accepteer het daar. Gebeurt er niets, dan kunt u de code opnieuw scannen.',
      },
      redeemed: {
        title: 'Uw wallet haalt het bewijs op',
        advice: 'Volg de stappen in uw wallet. Stopt die met een fout, vraag de uitgever dan om een nieuwe link.',
      },
      deferred: {
        title: 'Uw bewijs volgt later',
        advice:
          'U hebt het geaccepteerd. Uw wallet haalt het op zodra de uitgever uw gegevens heeft; u kunt deze pagina sluiten.',
      },
      issued: {
        title: 'Uw wallet heeft het bewijs ontvangen',
        advice: 'Controleer of het in uw wallet staat. Daarna kunt u deze pagina sluiten.',
      },
      accepted: {
        title: 'Het bewijs staat in uw wallet',
        advice: 'Het is opgeslagen. U kunt deze pagina sluiten.',
      },
      refused: {
        title: 'Uw wallet heeft het bewijs niet bewaard',
        advice:
          'Het is geweigerd of kon niet worden opgeslagen. Wilt u het bewijs toch hebben, vraag de uitgever dan om een nieuwe link.',
      },
      denied: {
        title: 'Het bewijs kan niet worden uitgegeven',
        advice: 'Vraag de uitgever naar de reden en wat u kunt doen.',
      },
      withdrawn: {
        title: 'Het aanbod is ingetrokken',
        advice: 'De uitgever heeft het geannuleerd. Neem contact met de uitgever op als u dit niet had verwacht.',
      },
      locked: {
        title: 'Het aanbod is geblokkeerd',
        advice: 'Er is te vaak een onjuiste transactiecode ingevoerd. Vraag de uitgever om een nieuwe link.',
      },
      expired: {
        title: 'Dit aanbod is verlopen',
        advice: 'Het kan niet meer worden aanvaard. Vraag de uitgever om een nieuw aanbod.',
      },
      revoked: {
        title: 'Het bewijs is ingetrokken',
        advice:
          'De uitgever heeft het definitief ongeldig verklaard. Vraag het de uitgever als u dit niet had verwacht.',
      },
      suspended: {
        title: 'Het bewijs is opgeschort',
        advice:
          'Het is op dit moment niet geldig. De uitgever kan het weer geldig maken; vraag de uitgever naar de reden.',
      },
      offline: {
        title: 'Het aanbod is gepauzeerd',
        advice: 'De uitgever geeft dit bewijs op dit moment niet uit. Probeer het later opnieuw.',
      },
    },
  },
};
