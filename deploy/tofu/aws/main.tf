# Machines and networks for a cluster in three AWS regions. The playbooks in ../../ansible do the rest:
#
#   tofu init && tofu apply -var ssh_public_key_file=~/.ssh/id_ed25519.pub -var 'operator_cidrs=["192.0.2.7/32"]'
#   tofu output -raw inventory > ../../ansible/inventories/shop/hosts.yml
#
# Servers communicate over the private addresses of peered networks. Neither this configuration nor its
# state contains a secret.

locals {
  tags  = { "morty:cluster" = var.cluster }
  cidrs = var.regions[*].cidr
}

module "a" {
  source         = "./modules/region"
  providers      = { aws = aws.a }
  cluster        = var.cluster
  region         = var.regions[0]
  cidrs          = local.cidrs
  server_type    = var.server_type
  client_type    = var.client_type
  data_gib       = var.data_gib
  operator_cidrs = var.operator_cidrs
  public_key     = file(pathexpand(var.ssh_public_key_file))
  cluster_port   = var.cluster_port
  admin_port     = var.admin_port
}

module "b" {
  source         = "./modules/region"
  providers      = { aws = aws.b }
  cluster        = var.cluster
  region         = var.regions[1]
  cidrs          = local.cidrs
  server_type    = var.server_type
  client_type    = var.client_type
  data_gib       = var.data_gib
  operator_cidrs = var.operator_cidrs
  public_key     = file(pathexpand(var.ssh_public_key_file))
  cluster_port   = var.cluster_port
  admin_port     = var.admin_port
}

module "c" {
  source         = "./modules/region"
  providers      = { aws = aws.c }
  cluster        = var.cluster
  region         = var.regions[2]
  cidrs          = local.cidrs
  server_type    = var.server_type
  client_type    = var.client_type
  data_gib       = var.data_gib
  operator_cidrs = var.operator_cidrs
  public_key     = file(pathexpand(var.ssh_public_key_file))
  cluster_port   = var.cluster_port
  admin_port     = var.admin_port
}

module "a_b" {
  source    = "./modules/peering"
  providers = { aws.near = aws.a, aws.far = aws.b }
  near      = module.a.network
  far       = module.b.network
}

module "a_c" {
  source    = "./modules/peering"
  providers = { aws.near = aws.a, aws.far = aws.c }
  near      = module.a.network
  far       = module.c.network
}

module "b_c" {
  source    = "./modules/peering"
  providers = { aws.near = aws.b, aws.far = aws.c }
  near      = module.b.network
  far       = module.c.network
}
