# Machines and one network for a cluster in several Google Cloud regions. The playbooks in ../../ansible do
# the rest:
#
#   tofu init && tofu apply -var project=my-project -var ssh_public_key_file=~/.ssh/id_ed25519.pub -var 'operator_cidrs=["192.0.2.7/32"]'
#   tofu output -raw inventory > ../../ansible/inventories/shop/hosts.yml
#
# A network spans all regions, so servers communicate over private addresses without peering. Neither this
# configuration nor its state contains a secret.

locals {
  name = "morty-${var.cluster}"
}

resource "google_compute_network" "this" {
  name                    = local.name
  auto_create_subnetworks = false
  routing_mode            = "GLOBAL"
}

# A rule without sources would let everybody in.
resource "google_compute_firewall" "ssh" {
  count         = length(var.operator_cidrs) > 0 ? 1 : 0
  name          = "${local.name}-ssh"
  description   = "Operators"
  network       = google_compute_network.this.id
  source_ranges = var.operator_cidrs
  target_tags   = [local.name]
  allow {
    protocol = "tcp"
    ports    = ["22"]
  }
}

resource "google_compute_firewall" "cluster" {
  name          = "${local.name}-cluster"
  description   = "Servers and clients of all regions: the cluster port, health and metrics"
  network       = google_compute_network.this.id
  source_ranges = var.regions[*].cidr
  target_tags   = [local.name]
  allow {
    protocol = "tcp"
    ports    = [tostring(var.cluster_port), tostring(var.admin_port)]
  }
}

module "region" {
  source      = "./modules/region"
  for_each    = { for region in var.regions : region.name => region }
  cluster     = var.cluster
  tag         = local.name
  network     = google_compute_network.this.id
  region      = each.value
  server_type = var.server_type
  client_type = var.client_type
  data_gib    = var.data_gib
  public_key  = trimspace(file(pathexpand(var.ssh_public_key_file)))
}
