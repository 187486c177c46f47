import { LANGUAGES, type Language } from '../config/languages.js';

/** The labels of the printable voucher, in the order of LANGUAGES. */
const LABELS = {
  title: [
    'Rental voucher',
    'Mietwagen-Voucher',
    'Bon de location',
    'Bono de alquiler',
    'Voucher di noleggio',
    'Voucher de aluguer',
  ],
  confirmation: [
    'Confirmation number',
    'Bestätigungsnummer',
    'Numéro de confirmation',
    'Número de confirmación',
    'Numero di conferma',
    'Número de confirmação',
  ],
  reference: ['Your reference', 'Ihre Referenz', 'Votre référence', 'Su referencia', 'Riferimento', 'A sua referência'],
  driver: ['Driver', 'Fahrer', 'Conducteur', 'Conductor', 'Conducente', 'Condutor'],
  more: [
    'Additional drivers',
    'Weitere Fahrer',
    'Autres conducteurs',
    'Otros conductores',
    'Altri conducenti',
    'Outros condutores',
  ],
  erased: [
    "The driver's data was erased.",
    'Die Daten des Fahrers wurden gelöscht.',
    'Les données du conducteur ont été effacées.',
    'Los datos del conductor se han borrado.',
    'I dati del conducente sono stati cancellati.',
    'Os dados do condutor foram apagados.',
  ],
  pickup: ['Pickup', 'Abholung', 'Prise en charge', 'Recogida', 'Ritiro', 'Levantamento'],
  dropoff: ['Return', 'Rückgabe', 'Restitution', 'Devolución', 'Riconsegna', 'Devolução'],
  local: ['local time', 'Ortszeit', 'heure locale', 'hora local', 'ora locale', 'hora local'],
  flight: ['Flight', 'Flug', 'Vol', 'Vuelo', 'Volo', 'Voo'],
  vehicle: ['Vehicle', 'Fahrzeug', 'Véhicule', 'Vehículo', 'Veicolo', 'Veículo'],
  similar: ['or similar', 'oder ähnlich', 'ou similaire', 'o similar', 'o simile', 'ou semelhante'],
  days: ['Rental days', 'Miettage', 'Jours de location', 'Días de alquiler', 'Giorni di noleggio', 'Dias de aluguer'],
  fuel: ['Fuel', 'Tankregelung', 'Carburant', 'Combustible', 'Carburante', 'Combustível'],
  differently: [
    'Booked differently',
    'Abweichend gebucht',
    'Réservé autrement',
    'Reservado de otro modo',
    'Prenotato diversamente',
    'Reservado de outra forma',
  ],
  unconfirmed: [
    'Not confirmed yet',
    'Noch nicht bestätigt',
    'Pas encore confirmé',
    'Aún no confirmado',
    'Non ancora confermato',
    'Ainda não confirmado',
  ],
  booked: ['Booked', 'Gebucht', 'Réservé', 'Reservado', 'Prenotato', 'Reservado'],
  missing: ['Not booked', 'Nicht gebucht', 'Non réservé', 'No reservado', 'Non prenotato', 'Não reservado'],
  included: ['Included', 'Enthalten', 'Inclus', 'Incluido', 'Incluso', 'Incluído'],
  chosen: ['Chosen', 'Gewählt', 'Choisi', 'Elegido', 'Scelto', 'Escolhido'],
  total: ['Total', 'Gesamtpreis', 'Total', 'Total', 'Totale', 'Total'],
  now: [
    'Due at booking',
    'Bei Buchung fällig',
    'Dû à la réservation',
    'A pagar al reservar',
    'Dovuto alla prenotazione',
    'Devido na reserva',
  ],
  paid: [
    'Paid by card at booking',
    'Bei Buchung mit Karte bezahlt',
    'Payé par carte à la réservation',
    'Pagado con tarjeta al reservar',
    'Pagato con carta alla prenotazione',
    'Pago com cartão na reserva',
  ],
  counter: [
    'Due at the counter',
    'Am Schalter zu zahlen',
    'À payer au comptoir',
    'A pagar en el mostrador',
    'Da pagare al banco',
    'A pagar no balcão',
  ],
  besides: [
    'Also due at the counter',
    'Am Schalter außerdem zu zahlen',
    'Également à payer au comptoir',
    'Además, a pagar en el mostrador',
    'Da pagare inoltre al banco',
    'A pagar ainda no balcão',
  ],
  deposit: ['Deposit', 'Kaution', 'Dépôt de garantie', 'Depósito', 'Deposito', 'Caução'],
  payment: ['Payment', 'Zahlung', 'Paiement', 'Pago', 'Pagamento', 'Pagamento'],
  cards: [
    'Accepted cards',
    'Akzeptierte Karten',
    'Cartes acceptées',
    'Tarjetas aceptadas',
    'Carte accettate',
    'Cartões aceites',
  ],
  free: [
    'Free cancellation until',
    'Kostenlos stornierbar bis',
    'Annulation gratuite jusqu’au',
    'Cancelación gratuita hasta',
    'Cancellazione gratuita fino al',
    'Cancelamento gratuito até',
  ],
  terms: ['Terms', 'Bedingungen', 'Conditions', 'Condiciones', 'Condizioni', 'Condições'],
  support: ['Support', 'Hilfe', 'Assistance', 'Asistencia', 'Assistenza', 'Apoio'],
} as const satisfies Record<string, readonly string[]>;

/** Labels by name, in one language. */
export type VoucherLabels = Readonly<Record<keyof typeof LABELS, string>>;

/** The labels of the voucher in a language. */
export function voucherLabels(language: Language): VoucherLabels {
  const at = LANGUAGES.indexOf(language);
  const texts = Object.entries(LABELS).map(([name, all]) => [name, all[at] ?? all[0]]);
  return Object.fromEntries(texts);
}
