/**
 * What the hosted page says, in the languages it speaks.
 *
 * @since 0.1.0
 */

/**
 * The words of the page in one language; `{…}` is filled in.
 *
 * @category models
 * @since 0.1.0
 */
export type Words = typeof en

/**
 * A language the page speaks.
 *
 * @category models
 * @since 0.1.0
 */
export type Language = keyof typeof words

/**
 * Returns the language of a page: the first of those asked for that it speaks, and else English. A
 * header like `de-CH,fr;q=0.8` is read in its order.
 *
 * @category getters
 * @since 0.1.0
 */
export const languageOf = (lang: string | undefined, acceptLanguage = ""): Language => {
  const asked = [lang ?? "", ...acceptLanguage.split(",")].map((tag) =>
    tag.trim().slice(0, 2).toLowerCase()
  )
  return asked.find(isLanguage) ?? "en"
}

const isLanguage = (tag: string): tag is Language => Object.hasOwn(words, tag)

const en = {
  pay: "Pay {amount}",
  payout: "Receive {amount}",
  payTitle: "Payment",
  payoutTitle: "Payout",
  test: "Test mode",
  testNote: "This is a sandbox: no money moves, and only test cards work.",
  testCards: "Test cards",
  succeeds: "succeeds",
  declines: "is declined",
  challenges: "asks for 3-D Secure",
  anyOther: "Any expiry date to come and any security code will do.",
  order: "Order",
  orderNumber: "Order number",
  safe: "Your details go to the payment service only",
  merchant: "Merchant",
  total: "Amount",
  byCard: "Pay by card",
  toCard: "To a card",
  otherWays: "Or pay another way",
  otherPlaces: "Or to an account",
  number: "Card number",
  expiry: "Expiry date",
  expiryHint: "MM / YY",
  cvc: "Security code",
  cvcHint: "3 or 4 digits",
  name: "Name on card",
  WALLET: "Wallet",
  BANK_TRANSFER: "Bank transfer",
  walletAccount: "E-mail or number of your wallet",
  bankAccount: "Account number or IBAN",
  receiveWith: "Receive with {method}",
  amountLabel: "How much?",
  next: "Continue",
  cancel: "Cancel and return to the merchant",
  problem: "Please check what you entered",
  faults: {
    number: "Enter a card number of 12 to 19 digits",
    testCards: "Use a test card, never a real one: {cards}",
    expiry: "Enter the expiry date as on the card, such as 04 / 30",
    expired: "This card has expired",
    cvc: "Enter the 3 or 4 digits of the security code",
    name: "Enter the name on the card",
    account: "Enter the account, at least 5 characters",
    amount: "Enter an amount, such as 10.50"
  },
  declined: "Your payment was declined",
  declinedMore: "Nothing was charged. You can try again, with another card perhaps.",
  declinedPayout: "The payout was declined",
  declinedPayoutMore: "You can try again, with another card perhaps.",
  code: "Code {code}",
  underway: "One moment, please",
  underwayMore: "Your payment is being processed. This page goes on by itself.",
  refresh: "Look again now",
  paid: "Thank you",
  paidMore: "Your payment of {amount} has arrived.",
  paidOut: "Your payout of {amount} is on its way.",
  cancelled: "Cancelled",
  cancelledMore: "Nothing was charged.",
  return: "Return to the merchant",
  challengeTitle: "Confirm it is you",
  challengeMore: "Your bank asks you to confirm this payment.",
  card: "Card",
  approve: "Confirm",
  decline: "Decline",
  approved: "Confirmed",
  approvedMore: "You can return to the merchant.",
  refused: "Declined",
  refusedMore: "The payment was not confirmed.",
  missing: "This page does not exist",
  missingMore: "The link may be incomplete, or the sandbox has been reset.",
  forbidden: "This request was not sent by the page",
  forbiddenMore: "The sandbox answers its own pages on this machine only."
}

const de: Words = {
  pay: "{amount} bezahlen",
  payout: "{amount} erhalten",
  payTitle: "Zahlung",
  payoutTitle: "Auszahlung",
  test: "Testmodus",
  testNote: "Dies ist eine Testumgebung: Es fließt kein Geld, und nur Testkarten funktionieren.",
  testCards: "Testkarten",
  succeeds: "gelingt",
  declines: "wird abgelehnt",
  challenges: "verlangt 3-D Secure",
  anyOther: "Jedes künftige Ablaufdatum und jede Prüfnummer sind recht.",
  order: "Bestellung",
  orderNumber: "Bestellnummer",
  safe: "Ihre Angaben gehen nur an den Zahlungsdienst",
  merchant: "Händler",
  total: "Betrag",
  byCard: "Mit Karte bezahlen",
  toCard: "Auf eine Karte",
  otherWays: "Oder anders bezahlen",
  otherPlaces: "Oder auf ein Konto",
  number: "Kartennummer",
  expiry: "Gültig bis",
  expiryHint: "MM / JJ",
  cvc: "Prüfnummer",
  cvcHint: "3 oder 4 Ziffern",
  name: "Name auf der Karte",
  WALLET: "Wallet",
  BANK_TRANSFER: "Überweisung",
  walletAccount: "E-Mail oder Nummer Ihrer Wallet",
  bankAccount: "Kontonummer oder IBAN",
  receiveWith: "Erhalten per {method}",
  amountLabel: "Wie viel?",
  next: "Weiter",
  cancel: "Abbrechen und zurück zum Händler",
  problem: "Bitte prüfen Sie Ihre Angaben",
  faults: {
    number: "Geben Sie eine Kartennummer mit 12 bis 19 Ziffern ein",
    testCards: "Nehmen Sie eine Testkarte, nie eine echte: {cards}",
    expiry: "Geben Sie das Ablaufdatum wie auf der Karte ein, etwa 04 / 30",
    expired: "Diese Karte ist abgelaufen",
    cvc: "Geben Sie die 3 oder 4 Ziffern der Prüfnummer ein",
    name: "Geben Sie den Namen auf der Karte ein",
    account: "Geben Sie das Konto ein, mindestens 5 Zeichen",
    amount: "Geben Sie einen Betrag ein, etwa 10,50"
  },
  declined: "Ihre Zahlung wurde abgelehnt",
  declinedMore:
    "Es wurde nichts abgebucht. Versuchen Sie es noch einmal, vielleicht mit einer anderen Karte.",
  declinedPayout: "Die Auszahlung wurde abgelehnt",
  declinedPayoutMore: "Versuchen Sie es noch einmal, vielleicht mit einer anderen Karte.",
  code: "Code {code}",
  underway: "Einen Moment bitte",
  underwayMore: "Ihre Zahlung wird verarbeitet. Diese Seite geht von selbst weiter.",
  refresh: "Jetzt nachsehen",
  paid: "Vielen Dank",
  paidMore: "Ihre Zahlung über {amount} ist angekommen.",
  paidOut: "Ihre Auszahlung über {amount} ist unterwegs.",
  cancelled: "Abgebrochen",
  cancelledMore: "Es wurde nichts abgebucht.",
  return: "Zurück zum Händler",
  challengeTitle: "Bestätigen Sie, dass Sie es sind",
  challengeMore: "Ihre Bank bittet Sie, diese Zahlung zu bestätigen.",
  card: "Karte",
  approve: "Bestätigen",
  decline: "Ablehnen",
  approved: "Bestätigt",
  approvedMore: "Sie können zum Händler zurückkehren.",
  refused: "Abgelehnt",
  refusedMore: "Die Zahlung wurde nicht bestätigt.",
  missing: "Diese Seite gibt es nicht",
  missingMore: "Vielleicht ist der Link unvollständig, oder die Testumgebung wurde zurückgesetzt.",
  forbidden: "Diese Anfrage kam nicht von der Seite",
  forbiddenMore: "Die Testumgebung antwortet nur ihren eigenen Seiten auf diesem Rechner."
}

const es: Words = {
  pay: "Pagar {amount}",
  payout: "Recibir {amount}",
  payTitle: "Pago",
  payoutTitle: "Cobro",
  test: "Modo de prueba",
  testNote:
    "Este es un entorno de pruebas: no se mueve dinero y solo funcionan tarjetas de prueba.",
  testCards: "Tarjetas de prueba",
  succeeds: "se acepta",
  declines: "se rechaza",
  challenges: "pide 3-D Secure",
  anyOther: "Sirven cualquier fecha de caducidad futura y cualquier código de seguridad.",
  order: "Pedido",
  orderNumber: "Número de pedido",
  safe: "Sus datos llegan solo al servicio de pagos",
  merchant: "Comercio",
  total: "Importe",
  byCard: "Pagar con tarjeta",
  toCard: "En una tarjeta",
  otherWays: "O pagar de otra forma",
  otherPlaces: "O en una cuenta",
  number: "Número de tarjeta",
  expiry: "Fecha de caducidad",
  expiryHint: "MM / AA",
  cvc: "Código de seguridad",
  cvcHint: "3 o 4 cifras",
  name: "Nombre en la tarjeta",
  WALLET: "Monedero",
  BANK_TRANSFER: "Transferencia bancaria",
  walletAccount: "Correo o número de su monedero",
  bankAccount: "Número de cuenta o IBAN",
  receiveWith: "Recibir por {method}",
  amountLabel: "¿Cuánto?",
  next: "Continuar",
  cancel: "Cancelar y volver al comercio",
  problem: "Revise los datos introducidos",
  faults: {
    number: "Introduzca un número de tarjeta de 12 a 19 cifras",
    testCards: "Use una tarjeta de prueba, nunca una real: {cards}",
    expiry: "Introduzca la fecha de caducidad como en la tarjeta, por ejemplo 04 / 30",
    expired: "Esta tarjeta ha caducado",
    cvc: "Introduzca las 3 o 4 cifras del código de seguridad",
    name: "Introduzca el nombre en la tarjeta",
    account: "Introduzca la cuenta, al menos 5 caracteres",
    amount: "Introduzca un importe, por ejemplo 10,50"
  },
  declined: "Su pago ha sido rechazado",
  declinedMore: "No se ha cobrado nada. Puede intentarlo de nuevo, quizá con otra tarjeta.",
  declinedPayout: "El cobro ha sido rechazado",
  declinedPayoutMore: "Puede intentarlo de nuevo, quizá con otra tarjeta.",
  code: "Código {code}",
  underway: "Un momento, por favor",
  underwayMore: "Su pago se está procesando. Esta página continúa por sí sola.",
  refresh: "Mirar ahora",
  paid: "Gracias",
  paidMore: "Hemos recibido su pago de {amount}.",
  paidOut: "Su cobro de {amount} está en camino.",
  cancelled: "Cancelado",
  cancelledMore: "No se ha cobrado nada.",
  return: "Volver al comercio",
  challengeTitle: "Confirme que es usted",
  challengeMore: "Su banco le pide que confirme este pago.",
  card: "Tarjeta",
  approve: "Confirmar",
  decline: "Rechazar",
  approved: "Confirmado",
  approvedMore: "Puede volver al comercio.",
  refused: "Rechazado",
  refusedMore: "El pago no se ha confirmado.",
  missing: "Esta página no existe",
  missingMore: "Quizá el enlace esté incompleto o el entorno de pruebas se haya reiniciado.",
  forbidden: "Esta petición no viene de la página",
  forbiddenMore: "El entorno de pruebas solo responde a sus propias páginas en este equipo."
}

const fr: Words = {
  pay: "Payer {amount}",
  payout: "Recevoir {amount}",
  payTitle: "Paiement",
  payoutTitle: "Versement",
  test: "Mode test",
  testNote:
    "Ceci est un environnement de test : aucun argent ne circule et seules les cartes de test fonctionnent.",
  testCards: "Cartes de test",
  succeeds: "est acceptée",
  declines: "est refusée",
  challenges: "demande 3-D Secure",
  anyOther: "Toute date d’expiration à venir et tout code de sécurité conviennent.",
  order: "Commande",
  orderNumber: "Numéro de commande",
  safe: "Vos données ne vont qu’au service de paiement",
  merchant: "Marchand",
  total: "Montant",
  byCard: "Payer par carte",
  toCard: "Sur une carte",
  otherWays: "Ou payer autrement",
  otherPlaces: "Ou sur un compte",
  number: "Numéro de carte",
  expiry: "Date d’expiration",
  expiryHint: "MM / AA",
  cvc: "Code de sécurité",
  cvcHint: "3 ou 4 chiffres",
  name: "Nom sur la carte",
  WALLET: "Portefeuille",
  BANK_TRANSFER: "Virement bancaire",
  walletAccount: "E-mail ou numéro de votre portefeuille",
  bankAccount: "Numéro de compte ou IBAN",
  receiveWith: "Recevoir par {method}",
  amountLabel: "Combien ?",
  next: "Continuer",
  cancel: "Annuler et revenir chez le marchand",
  problem: "Veuillez vérifier votre saisie",
  faults: {
    number: "Saisissez un numéro de carte de 12 à 19 chiffres",
    testCards: "Utilisez une carte de test, jamais une vraie : {cards}",
    expiry: "Saisissez la date d’expiration comme sur la carte, par exemple 04 / 30",
    expired: "Cette carte a expiré",
    cvc: "Saisissez les 3 ou 4 chiffres du code de sécurité",
    name: "Saisissez le nom sur la carte",
    account: "Saisissez le compte, au moins 5 caractères",
    amount: "Saisissez un montant, par exemple 10,50"
  },
  declined: "Votre paiement a été refusé",
  declinedMore: "Rien n’a été débité. Vous pouvez réessayer, peut-être avec une autre carte.",
  declinedPayout: "Le versement a été refusé",
  declinedPayoutMore: "Vous pouvez réessayer, peut-être avec une autre carte.",
  code: "Code {code}",
  underway: "Un instant, s’il vous plaît",
  underwayMore: "Votre paiement est en cours. Cette page continue d’elle-même.",
  refresh: "Regarder maintenant",
  paid: "Merci",
  paidMore: "Votre paiement de {amount} est arrivé.",
  paidOut: "Votre versement de {amount} est en route.",
  cancelled: "Annulé",
  cancelledMore: "Rien n’a été débité.",
  return: "Revenir chez le marchand",
  challengeTitle: "Confirmez que c’est vous",
  challengeMore: "Votre banque vous demande de confirmer ce paiement.",
  card: "Carte",
  approve: "Confirmer",
  decline: "Refuser",
  approved: "Confirmé",
  approvedMore: "Vous pouvez revenir chez le marchand.",
  refused: "Refusé",
  refusedMore: "Le paiement n’a pas été confirmé.",
  missing: "Cette page n’existe pas",
  missingMore: "Le lien est peut-être incomplet, ou l’environnement de test a été réinitialisé.",
  forbidden: "Cette demande ne vient pas de la page",
  forbiddenMore: "L’environnement de test ne répond qu’à ses propres pages sur cette machine."
}

/**
 * The words of every language.
 *
 * @category constants
 * @since 0.1.0
 */
export const words = { en, de, es, fr }

/**
 * Fills in what a text leaves open.
 *
 * @category conversions
 * @since 0.1.0
 */
export const fill = (text: string, given: Readonly<Record<string, string>>): string =>
  text.replace(/\{(\w+)\}/gu, (_, name: string) => given[name] ?? "")
